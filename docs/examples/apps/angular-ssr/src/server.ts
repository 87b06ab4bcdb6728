import { AngularNodeAppEngine, createNodeRequestHandler, isMainModule, writeResponseToNodeResponse } from "@angular/ssr/node";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname, join, normalize } from "node:path";

const engine = new AngularNodeAppEngine({ allowedHosts: ["localhost", "127.0.0.1"] }); // add the hosts of your site
const files = join(import.meta.dirname, "../browser");
const types: Record<string, string> = { ".css": "text/css", ".js": "text/javascript" };

async function handle(request: IncomingMessage, response: ServerResponse) {
  const path = join(files, normalize(new URL(request.url ?? "/", "http://localhost").pathname)), type = types[extname(path)];
  if (type && path.startsWith(files) && (await stat(path).catch(() => undefined))?.isFile()) {
    response.setHeader("Content-Type", type);
    return void createReadStream(path).pipe(response);
  }
  const page = await engine.handle(request);
  if (page) return writeResponseToNodeResponse(page, response);
  response.writeHead(404).end();
}

/** What the Angular CLI serves with too. */
export const reqHandler = createNodeRequestHandler(handle);

if (isMainModule(import.meta.url)) {
  createServer(reqHandler).listen(Number(process.env["PORT"] ?? 4000), process.env["HOST"] ?? "127.0.0.1");
}
