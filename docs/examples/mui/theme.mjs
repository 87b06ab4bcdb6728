// The theme of MUI from tokens.values.json: colours in the two forms that MUI takes, lengths with units.
import { createTheme } from "@mui/material/styles";

export function themeOf(tokens) {
  return createTheme({
    palette: {
      primary: { main: tokens.color.brand, contrastText: tokens.color.surface },
      background: { default: tokens.color.surface, paper: tokens.color.surface },
      text: { primary: tokens.color.ink },
    },
    shape: { borderRadius: tokens.radius.button },
    typography: { fontFamily: tokens.font.body },
  });
}
