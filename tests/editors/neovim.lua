-- Run by test_neovim.py: does what an author does, and prints what came of it as JSON.
local root, path, python = vim.env.RELAX_ROOT, vim.env.RELAX_FILE, vim.env.RELAX_PYTHON
vim.opt.runtimepath:prepend(root .. "/editors/neovim")
vim.opt.swapfile = false
require("relax").setup({ cmd = { python, "-m", "relax_lang", "lsp" } })
local said = {}

local function wait(what)
  if not vim.wait(60000, what, 20) then
    error("waited in vain")
  end
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") .. "\n"
end

local function place(line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
  return vim.lsp.util.make_position_params(0, "utf-16")
end

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 60000)
  local _, answer = next(answers or {})
  return answer and answer.result
end

local function run()
  vim.cmd("edit " .. path)
  wait(function() return #vim.diagnostic.get(0) > 0 end)
  for _, one in ipairs(vim.diagnostic.get(0)) do
    table.insert(said, one.code)
  end
  local hover = ask("textDocument/hover", place(2, 6)).contents.value
  local completed = ask("textDocument/completion", place(3, 8))
  local labels = {}
  for _, one in ipairs(completed.items) do
    table.insert(labels, one.label)
  end
  local hints = ask("textDocument/inlayHint", {
    textDocument = vim.lsp.util.make_text_document_params(),
    range = { start = { line = 0, character = 0 }, ["end"] = { line = 9, character = 0 } },
  })
  -- A code action: the first fix of the finding.
  local finding = vim.diagnostic.get(0)[1]
  local spot = { line = finding.lnum, character = finding.col }
  local actions = ask("textDocument/codeAction", {
    textDocument = vim.lsp.util.make_text_document_params(),
    range = { start = spot, ["end"] = spot },
    context = { diagnostics = {} },
  })
  vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
  local fixed = text()
  wait(function() return #vim.diagnostic.get(0) == 0 end)
  -- Rename, then format.
  local params = place(2, 6)
  params.newName = "sum"
  vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", params), "utf-16")
  local renamed = text()
  local edits = ask("textDocument/formatting", {
    textDocument = vim.lsp.util.make_text_document_params(),
    options = { tabSize = 2, insertSpaces = true },
  })
  vim.lsp.util.apply_text_edits(edits, 0, "utf-16")
  local formatted = text()
  -- The other languages: their findings come by the same server.
  local others = {}
  for _, name in ipairs({ "model.relay", "model.py" }) do
    vim.cmd("edit! " .. vim.fn.fnamemodify(path, ":h") .. "/" .. name)
    wait(function() return #vim.diagnostic.get(0) > 0 end)
    others[name] = vim.diagnostic.get(0)[1].code
  end
  return {
    others = others, codes = said, hover = hover, labels = labels, hints = #hints,
    fixed = fixed, renamed = renamed, formatted = formatted,
  }
end

local ok, result = pcall(run)
io.stdout:write(vim.fn.json_encode(ok and result or { failed = tostring(result) }))
for _, client in pairs(vim.lsp.get_active_clients()) do
  client.stop()
end
vim.wait(10000, function() return #vim.lsp.get_active_clients() == 0 end, 20)
vim.cmd("qall!")
