// What tokens.d.ts, written by livery pull --format ts, allows and what it does not.
import type { CSSVar, CSSVarOf, CustomProperty, TokenPath, TokenPathOf, TokenValue, TokenValueOf } from "./tokens";

export const path: TokenPath = "color.brand";
export const property: CustomProperty = "--space-button";
export const reference: CSSVar = "var(--color-link)";
export const color: TokenPathOf<"color"> = "color.ink";
export const radius: TokenValue<"radius.button"> = "8px";
export const anyColor: TokenValueOf<"color"> = "#1b1f24";
export const family: CSSVarOf<"font.body"> = "var(--font-body)";

// @ts-expect-error: the name is misspelt.
export const misspelt: TokenPath = "color.brnad";
// @ts-expect-error: a length is not a colour.
export const length: TokenPathOf<"color"> = "space.button";
// @ts-expect-error: no stylesheet declares it.
export const undeclared: CSSVar = "var(--color-brnad)";
// @ts-expect-error: a colour is a text, not a number.
export const number: TokenValueOf<"color"> = 4;
// @ts-expect-error: the reference is to another token.
export const swapped: CSSVarOf<"color.brand"> = "var(--color-ink)";
