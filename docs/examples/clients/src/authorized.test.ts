import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { authorized, Unauthorized } from "./authorized.js";

// An origin that takes the token "good", and answers with the body that it got.
const origin = createServer(async (request, answer) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  answer.statusCode = request.headers.authorization === "Bearer good" ? 200 : 401;
  answer.end(answer.statusCode === 200 ? body : "");
});
await new Promise<void>((ready) => origin.listen(0, "127.0.0.1", ready));
after(() => origin.close());
const url = `http://127.0.0.1:${(origin.address() as AddressInfo).port}/`;

/** A source that issues the tokens one after the other, and counts. */
function source(...tokens: string[]) {
  const issue = async () => {
    const token = tokens[issue.count++];
    if (token === undefined) throw new Error("no more tokens");
    return token;
  };
  issue.count = 0;
  return issue;
}

test("a request that is refused is sent once more, body and all", async () => {
  const issue = source("expired", "good");
  const response = await authorized(issue)(url, { method: "POST", body: "the body" });
  assert.deepEqual([response.status, await response.text(), issue.count], [200, "the body", 2]);
});

test("requests that are refused beside each other renew the token once", async () => {
  const issue = source("expired", "good");
  const send = authorized(issue);
  const responses = await Promise.all(Array.from({ length: 8 }, () => send(url)));
  assert.deepEqual(responses.map((r) => r.status), Array(8).fill(200));
  assert.equal(issue.count, 2);
});

test("a second 401 is thrown, and the next request has a token issued again", async () => {
  const issue = source("expired", "expired", "good");
  const send = authorized(issue);
  await assert.rejects(send(url), Unauthorized);
  assert.equal((await send(url)).status, 200);
});

test("a token that could not be issued is asked for again by the next request", async () => {
  let fails = true;
  const send = authorized(async () => {
    if (fails) throw new Error("the issuer is away");
    return "good";
  });
  await assert.rejects(send(url), /away/);
  fails = false;
  assert.equal((await send(url)).status, 200);
});
