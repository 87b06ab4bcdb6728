import { ThemeController } from "@livery/theme/lit";
import { LitElement, css, html } from "lit";
import brands from "./brands.json"; // written by ../../brands.mjs
import "./style.css";

class Shop extends LitElement {
  static properties = { brand: { state: true } };

  // Custom properties reach into the shadow tree; the theme needs nothing for it.
  static styles = css`
    #buy { background: var(--color-brand); color: var(--color-surface); border: 0; border-radius: var(--radius-button); padding: var(--space-button); }
  `;

  #shown = new ThemeController(this, () => ({ href: brands[this.brand], live: true }));

  constructor() {
    super();
    this.brand = Object.keys(brands)[0];
  }

  render() {
    return html`<main>
      ${Object.keys(brands).map((name) => html`
        <button type="button" aria-pressed=${name === this.brand} @click=${() => { this.brand = name; }}>${name}</button>`)}
      <button id="buy" type="button" data-state=${this.#shown.state}>Buy from ${this.brand}</button>
    </main>`;
  }
}

customElements.define("livery-shop", Shop);
