// node render.mjs TOKENS_VALUES_JSON [DARK_TOKENS_VALUES_JSON]: renders a button on the server, with its styles.
import { readFile } from "node:fs/promises";
import createCache from "@emotion/cache";
import { CacheProvider } from "@emotion/react";
import createEmotionServer from "@emotion/server/create-instance";
import { Button, CssBaseline, ThemeProvider } from "@mui/material";
import { createElement as h } from "react";
import { renderToString } from "react-dom/server";
import { themeOf } from "./theme.mjs";

const [tokens, dark] = await Promise.all(process.argv.slice(2).map(async (file) => JSON.parse(await readFile(file, "utf8"))));
const cache = createCache({ key: "css" });
const { extractCriticalToChunks, constructStyleTagsFromChunks } = createEmotionServer.default?.(cache) ?? createEmotionServer(cache);
const page = h(CacheProvider, { value: cache },
  h(ThemeProvider, { theme: themeOf(tokens, dark) }, h(CssBaseline), h(Button, { variant: "contained" }, "Book a table")));
const html = renderToString(page);
console.log(constructStyleTagsFromChunks(extractCriticalToChunks(html)) + html);
