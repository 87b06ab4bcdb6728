// From an empty Environment to a served file, with a client by @hey-api/openapi-ts.

import { authorized, Unauthorized } from "./authorized.js";
import { served, issueToken, variable } from "./environment.js";
import { createClient } from "./generated/hey/client/index.js";
import { client } from "./generated/hey/client.gen.js";
import * as livery from "./generated/hey/index.js";
import { accepted, conflict } from "./refused.js";

const baseUrl = variable("LIVERY_ORIGIN");
client.setConfig({ baseUrl, fetch: authorized(issueToken) });

const environments = accepted(await livery.listEnvironments());
const environmentID = environments.items.find((e) => e.slug === "sandbox")!.id;

// The key makes a retry after a timeout safe: to the same key the origin answers what it answered the first time.
const create = async (key: string) =>
  accepted(
    await livery.createTheme({
      path: { environmentID },
      headers: { "Idempotency-Key": key },
      body: {
        slug: "by-hey-api",
        displayName: "Typed",
        integration: { framework: "react", library: "plainCSS" },
        metadata: { made: "hey-api" },
      },
    }),
  ).resource;
const key = crypto.randomUUID();
const theme = await create(key);
const again = await create(key);
console.log(`Theme ${theme.slug} is created${again.id === theme.id ? " once" : ""}.`);
await create(crypto.randomUUID()).catch((error) => console.log(`Another one: ${conflict(error)}.`));
const path = { environmentID, themeID: theme.id };

const list = accepted(await livery.listThemes({ path, query: { label: { "label.made": "hey-api" } } }));
console.log(`With the label: ${list.items.map((t) => t.slug).join(", ")}.`);

type Decision = livery.ThemeOperation[] | Promise<livery.ThemeOperation[]>;

/** Edits the draft. If another client edited it in between (409), reads it again and decides again. */
async function edit(decide: (tokens: livery.ThemeTokenSet) => Decision): Promise<livery.ThemeTokenSet> {
  const tokens = accepted(await livery.getThemeTokens({ path })).resource;
  const query = tokens.etag === null ? {} : { etag: tokens.etag };
  const body = { operations: await decide(tokens) };
  try {
    return accepted(await livery.editThemeTokens({ path, query, body })).resource;
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
const publish = async (etag: string) => accepted(await livery.publishTheme({ path, headers: { "If-Match": `"${etag}"` } }));
const newest = await edit(() => [{ operation: "add", path: "/color/surface", value: { $value: "#ffffff" } }]);
await publish(reviewed.etag!).catch((error) => console.log(`Publish of an older draft: ${conflict(error)}.`));
const published = await publish(newest.etag!);
console.log(`Theme ${published.slug} is version ${published.latestVersion}.`);

const body = { slug: "midnight", displayName: "Midnight" };
const { resource: variant } = accepted(await livery.createVariant({ path, body }));
const ofVariant = { path: { ...path, variantID: variant.id } };
accepted(
  await livery.editVariantTokens({
    ...ofVariant,
    body: { operations: [{ operation: "set", path: "color.brand", value: "#ffb454" }] },
  }),
);
const midnight = accepted(await livery.publishVariant(ofVariant));
for (const { servingUrls } of [published, midnight]) {
  for (const { file, url } of servingUrls.pinned ?? []) {
    console.log(`  ${file}: ${(await served(url)).match(/--color-brand: .*;/)?.[0]}`);
  }
}

const stranger = createClient({ baseUrl, fetch: authorized(async () => "unknown") });
const { error } = await livery.listEnvironments({ client: stranger });
if (!((error as unknown) instanceof Unauthorized)) throw error;
console.log("A client with an unknown token is refused.");
