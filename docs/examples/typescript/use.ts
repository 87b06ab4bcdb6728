// What tokens.d.ts, written by livery types, allows and what it does not.
import type { CSSVar, CustomProperty, TokenPath, TokenPathOf, TokenValue } from "./tokens";
import { cssVar, tokens } from "./theme";

export const path: TokenPath = "color.brand";
export const property: CustomProperty = "--space-button";
export const reference: CSSVar = "var(--color-link)";
export const color: TokenPathOf<"color"> = "color.ink";
export const radius: TokenValue<"radius.button"> = tokens["radius.button"].value;
export const brand: "var(--color-brand)" = cssVar("color.brand");

// @ts-expect-error: the name is misspelt.
export const misspelt: TokenPath = "color.brnad";
// @ts-expect-error: a length is not a colour.
export const length: TokenPathOf<"color"> = "space.button";
// @ts-expect-error: no stylesheet declares it.
export const undeclared: CSSVar = "var(--color-brnad)";
// @ts-expect-error: the name is misspelt here too.
cssVar("color.brnad");
