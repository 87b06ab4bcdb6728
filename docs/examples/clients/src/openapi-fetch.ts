// From an empty Environment to a served file, with types by openapi-typescript and requests by openapi-fetch.

import createClient from "openapi-fetch";
import { authorized, Unauthorized } from "./authorized.js";
import { served, issueToken, variable } from "./environment.js";
import type { components, paths } from "./generated/livery.js";
import { accepted, conflict } from "./refused.js";

type Tokens = components["schemas"]["ThemeTokenSet"];
type Operation = components["schemas"]["ThemeOperation"];

const baseUrl = variable("LIVERY_ORIGIN");
const client = createClient<paths>({
  baseUrl,
  fetch: authorized(issueToken),
  querySerializer: { object: { style: "form", explode: true } }, // label.KEY=VALUE; its default is label[label.KEY]=VALUE
});
const themesPath = "/public/v1/environments/{environmentID}/themes";
const themePath = "/public/v1/environments/{environmentID}/themes/{themeID}";

const environments = accepted(await client.GET("/public/v1/environments"));
const environmentID = environments.items.find((e) => e.slug === "sandbox")!.id;

// The key makes a retry after a timeout safe: to the same key the origin answers what it answered the first time.
const create = async (key: string) =>
  accepted(
    await client.POST(themesPath, {
      params: { path: { environmentID }, header: { "Idempotency-Key": key } },
      body: {
        slug: "by-openapi-fetch",
        displayName: "Typed",
        integration: { framework: "react", library: "plainCSS" },
        metadata: { made: "openapi-fetch" },
      },
    }),
  ).resource;
const key = crypto.randomUUID();
const theme = await create(key);
const again = await create(key);
console.log(`Theme ${theme.slug} is created${again.id === theme.id ? " once" : ""}.`);
await create(crypto.randomUUID()).catch((error) => console.log(`Another one: ${conflict(error)}.`));
const path = { environmentID, themeID: theme.id };

const label = { "label.made": "openapi-fetch" };
const list = accepted(await client.GET(themesPath, { params: { path, query: { label } } }));
console.log(`With the label: ${list.items.map((t) => t.slug).join(", ")}.`);

/** Edits the draft. If another client edited it in between (409), reads it again and decides again. */
async function edit(decide: (tokens: Tokens) => Operation[] | Promise<Operation[]>): Promise<Tokens> {
  const tokens = accepted(await client.GET(`${themePath}/tokens`, { params: { path } })).resource;
  const query = tokens.etag === null ? {} : { etag: tokens.etag };
  const body = { operations: await decide(tokens) };
  try {
    return accepted(await client.PATCH(`${themePath}/tokens`, { params: { path, query }, body })).resource;
  } catch (error) {
    if (conflict(error) !== "staleEtag") throw error;
    console.log("Another client edited the draft.");
    return edit(decide);
  }
}

await edit(() => [{ operation: "add", path: "/color", value: { $type: "color", brand: { $value: "#0055aa" } } }]);
const reviewed = await edit(async (tokens) => {
  if (tokens.tokens.length === 1) {
    await edit(() => [{ operation: "add", path: "/color/ink", value: { $value: "#16202b" } }]); // the other client
  }
  return [{ operation: "replace", path: "/color/brand/$value", value: "#c2410c" }];
});
for (const token of reviewed.tokens) console.log(`  ${token.path} (${token.resolvedType}) ${token.value}`);

/** Publishes the draft that was reviewed, and no other: if it is another now, the origin answers 412. */
const publish = async (etag: string) => {
  const header = { "If-Match": `"${etag}"` };
  return accepted(await client.POST(`${themePath}/tokens/publish`, { params: { path, header } }));
};
const newest = await edit(() => [{ operation: "add", path: "/color/surface", value: { $value: "#ffffff" } }]);
await publish(reviewed.etag!).catch((error) => console.log(`Publish of an older draft: ${conflict(error)}.`));
const published = await publish(newest.etag!);
console.log(`Theme ${published.slug} is version ${published.latestVersion}.`);

const { resource: variant } = accepted(
  await client.POST(`${themePath}/variants`, { params: { path }, body: { slug: "midnight", displayName: "Midnight" } }),
);
const ofVariant = { params: { path: { ...path, variantID: variant.id } } };
accepted(
  await client.PATCH(`${themePath}/variants/{variantID}/tokens`, {
    ...ofVariant,
    body: { operations: [{ operation: "set", path: "color.brand", value: "#ffb454" }] },
  }),
);
const midnight = accepted(await client.POST(`${themePath}/variants/{variantID}/tokens/publish`, ofVariant));
for (const { servingUrls } of [published, midnight]) {
  for (const { file, url } of servingUrls.pinned ?? []) {
    console.log(`  ${file}: ${(await served(url)).match(/--color-brand: .*;/)?.[0]}`);
  }
}

const stranger = createClient<paths>({ baseUrl, fetch: authorized(async () => "unknown") });
await stranger.GET("/public/v1/environments").catch((error) => {
  if (!(error instanceof Unauthorized)) throw error;
  console.log("A client with an unknown token is refused.");
});
