-- Relax in Neovim, with the built-in client. `require("relax").setup()` in init.lua is all it takes.
local M = {}

M.defaults = { cmd = { "relax", "lsp" }, tvmscript = true }

-- The folder whose settings hold: the nearest with relax.toml or .git, or that of the file.
local function root_of(path)
  local folder = vim.fn.fnamemodify(path, ":p:h")
  local at = folder
  while true do
    for _, name in ipairs({ "relax.toml", ".git" }) do
      if vim.fn.filereadable(at .. "/" .. name) == 1 or vim.fn.isdirectory(at .. "/" .. name) == 1 then
        return at
      end
    end
    local above = vim.fn.fnamemodify(at, ":h")
    if above == at then
      return folder
    end
    at = above
  end
end

local clients = {}

-- Attach the server to a buffer; one server serves all buffers of a folder.
function M.attach(buffer)
  local root = root_of(vim.api.nvim_buf_get_name(buffer))
  local known = clients[root]
  if known == nil or vim.lsp.get_client_by_id(known) == nil then
    known = vim.lsp.start_client({
      name = "relax",
      cmd = M.options.cmd,
      root_dir = root,
      workspace_folders = { { uri = vim.uri_from_fname(root), name = vim.fn.fnamemodify(root, ":t") } },
      on_attach = M.options.on_attach,
      capabilities = M.options.capabilities or vim.lsp.protocol.make_client_capabilities(),
    })
    clients[root] = known
  end
  if known ~= nil then
    vim.lsp.buf_attach_client(buffer, known)
  end
  return known
end

function M.setup(options)
  M.options = vim.tbl_extend("force", M.defaults, options or {})
  local group = vim.api.nvim_create_augroup("relax", { clear = true })
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
    group = group,
    pattern = "*.rlx",
    callback = function(event)
      vim.bo[event.buf].filetype = "relax"
      vim.bo[event.buf].commentstring = "# %s"
      vim.bo[event.buf].shiftwidth = 2
      vim.bo[event.buf].expandtab = true
      M.attach(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
    group = group,
    pattern = { "*.relay", "*.rly" },
    callback = function(event)
      vim.bo[event.buf].filetype = "relay"
      M.attach(event.buf)
    end,
  })
  -- TVMScript is Python: only files that mention TVM are of interest.
  vim.api.nvim_create_autocmd("BufRead", {
    group = group,
    pattern = "*.py",
    callback = function(event)
      local text = table.concat(vim.api.nvim_buf_get_lines(event.buf, 0, -1, false), "\n")
      if M.options.tvmscript and text:find("tvm", 1, true) then
        M.attach(event.buf)
      end
    end,
  })
end

return M
