// Starts the language server and connects it to the editor.
const { workspace, window, commands } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function activate(context) {
  const command = workspace.getConfiguration("relax").get("path", "relax");
  client = new LanguageClient(
    "relax",
    "Relax",
    { command, args: ["lsp"] },
    {
      // TVMScript is Python: the server is silent about files without it.
      documentSelector: [{ language: "relax" }, { language: "relay" }, { language: "python" }],
      synchronize: { fileEvents: workspace.createFileSystemWatcher("**/{relax.toml,pyproject.toml,*.npy,*.npz}") },
    },
  );
  context.subscriptions.push(client);
  try {
    await client.start();
  } catch (error) {
    const text = `\`${command} lsp\` does not start: ${error.message}. Install it: pip install "relax-lang[lsp]"`;
    await window.showErrorMessage(text);
  }
  // `relax.run` and `relax.graph` are commands of the server; what they return is shown here.
  context.subscriptions.push(
    commands.registerCommand("relax.restart", async () => {
      await client.restart();
    }),
  );
}

function deactivate() {
  return client === undefined ? undefined : client.stop();
}

module.exports = { activate, deactivate };
