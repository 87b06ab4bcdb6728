// What tokens.d.ts, written by livery types, allows and what it does not.
import type { CSSVar, CSSVarOf, CustomProperty, TokenPath, TokenPathOf, TokenValue, TokenValueOf } from "./tokens";
import { cssVar, tokens } from "./theme";

export const path: TokenPath = "color.brand";
export const property: CustomProperty = "--space-button";
export const reference: CSSVar = "var(--color-link)";
export const color: TokenPathOf<"color"> = "color.ink";
export const radius: TokenValue<"radius.button"> = tokens["radius.button"].value;
export const anyColor: TokenValueOf<"color"> = tokens["color.ink"].value;
export const family: CSSVarOf<"font.body"> = cssVar("font.body");
export const brand: "var(--color-brand)" = cssVar("color.brand");

// @ts-expect-error: the name is misspelt.
export const misspelt: TokenPath = "color.brnad";
// @ts-expect-error: a length is not a colour.
export const length: TokenPathOf<"color"> = "space.button";
// @ts-expect-error: no stylesheet declares it.
export const undeclared: CSSVar = "var(--color-brnad)";
// @ts-expect-error: the name is misspelt here too.
cssVar("color.brnad");
// @ts-expect-error: a colour is a text, not a number.
export const number: TokenValueOf<"color"> = 4;
// @ts-expect-error: the reference is to another token.
export const swapped: CSSVarOf<"color.brand"> = cssVar("color.ink");
