// What JSX becomes: the bundler puts these names into each file that has some.
export { createElement, Fragment } from "preact";
