// `npm test`: the protocol library of the extension's client against the real server. RELAX is its command.
const { spawn } = require("child_process");
const protocol = require("vscode-languageserver-protocol/node");

const command = (process.env.RELAX || "relax").split(" ");
const server = spawn(command[0], [...command.slice(1), "lsp"], { stdio: ["pipe", "pipe", "inherit"] });
const connection = protocol.createProtocolConnection(
  new protocol.StreamMessageReader(server.stdout),
  new protocol.StreamMessageWriter(server.stdin),
);
const uri = "file:///nowhere/model.rlx";
const text = "def @main(x: Tensor[(3,), float32]) {\n  let y = exp(x);\n  z\n}\n";

async function main() {
  const shown = new Promise((resolve) => {
    connection.onNotification(protocol.PublishDiagnosticsNotification.type, (params) => {
      if (params.version === 1) resolve(params.diagnostics);
    });
  });
  connection.listen();
  const capabilities = { textDocument: { publishDiagnostics: { versionSupport: true } } };
  const info = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid, rootUri: null, capabilities, workspaceFolders: null,
  });
  if (!info.capabilities.hoverProvider) throw new Error("no hover");
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "relax", version: 1, text },
  });
  const codes = (await shown).filter((one) => one.severity === 1).map((one) => one.code);
  if (codes.join() !== "RLX0201") throw new Error(`diagnostics: ${codes}`);
  const hover = await connection.sendRequest(protocol.HoverRequest.type, {
    textDocument: { uri }, position: { line: 1, character: 6 },
  });
  if (!hover.contents.value.includes("y: Tensor[(3,), float32]")) throw new Error(JSON.stringify(hover));
  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  const status = await new Promise((resolve) => server.on("exit", resolve));
  if (status !== 0) throw new Error(`exit status ${status}`);
  console.log("1 passed, 0 failed");
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    server.kill();
    process.exit(1);
  },
);
