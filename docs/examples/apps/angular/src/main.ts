import { Component, signal } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
import { injectTheme } from "@livery/theme/angular";
import list from "./brands.json"; // written by ../../brands.mjs

const brands: Record<string, string> = list;

@Component({
  selector: "app-shop",
  template: `
    <main>
      @for (name of names; track name) {
        <button type="button" [attr.aria-pressed]="name === brand()" (click)="brand.set(name)">{{ name }}</button>
      }
      <button id="buy" type="button" [attr.data-state]="shown.state()">Buy from {{ brand() }}</button>
    </main>
  `,
})
class Shop {
  readonly names = Object.keys(brands);
  readonly brand = signal(this.names[0]);
  readonly shown = injectTheme(() => ({ href: brands[this.brand()], live: true }));
}

bootstrapApplication(Shop).catch((error) => console.error(error));
