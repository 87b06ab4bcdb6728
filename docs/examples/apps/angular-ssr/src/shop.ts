import { type ApplicationConfig, Component, inject, makeStateKey, signal, TransferState } from "@angular/core";
import { provideClientHydration, withEventReplay } from "@angular/platform-browser";
import { injectTheme } from "@livery/theme/angular";

/** The brand of this reader, and all brands, which the server hands on to the browser. */
export const chosen = makeStateKey<{ brand: string; brands: Record<string, string> }>("chosen");

@Component({
  selector: "app-shop",
  template: `
    <main>
      @for (name of names; track name) {
        <button type="button" [attr.aria-pressed]="name === brand()" (click)="choose(name)">{{ name }}</button>
      }
      <button id="buy" type="button" [attr.data-state]="shown.state()">Buy from {{ brand() }}</button>
    </main>
  `,
})
export class Shop {
  readonly #chosen = inject(TransferState).get(chosen, { brand: "", brands: {} });
  readonly names = Object.keys(this.#chosen.brands);
  readonly brand = signal(this.#chosen.brand);
  readonly shown = injectTheme(() => ({ href: this.#chosen.brands[this.brand()], live: true }));

  choose(name: string) {
    this.brand.set(name);
    document.cookie = `brand=${name}; path=/; max-age=31536000; samesite=lax`;
  }
}

export const config: ApplicationConfig = { providers: [provideClientHydration(withEventReplay())] };
