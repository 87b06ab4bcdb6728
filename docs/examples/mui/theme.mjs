// The theme of MUI from tokens.values.json: colours in the two forms that MUI takes, lengths with units. With the values
// of a dark scheme too (tokens.values.json?modes=scheme.dark) MUI follows the attribute that tokens.css?modes=scheme does.
import { createTheme } from "@mui/material/styles";

const palette = (tokens) => ({
  primary: { main: tokens.color.brand, contrastText: tokens.color.surface },
  background: { default: tokens.color.surface, paper: tokens.color.surface },
  text: { primary: tokens.color.ink },
});

export function themeOf(tokens, dark) {
  const schemes = dark
    ? {
        cssVariables: { colorSchemeSelector: "data-scheme" },
        colorSchemes: { light: { palette: palette(tokens) }, dark: { palette: palette(dark) } },
      }
    : { palette: palette(tokens) };
  return createTheme({
    ...schemes,
    shape: { borderRadius: tokens.radius.button },
    typography: { fontFamily: tokens.font.body },
  });
}
