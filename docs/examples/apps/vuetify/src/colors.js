/** The colours of Vuetify, by a function that gives the value of a token. */
export const colors = (value) => ({
  primary: value("color", "brand"),
  "on-primary": value("color", "surface"),
  background: value("color", "surface"),
  "on-background": value("color", "ink"),
});
