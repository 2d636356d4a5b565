// uPlot formats numbers for `navigator.language` as soon as it loads, and throws if that is none. Where no locale is
// set, as on servers, WebKitGTK says "C" and Chromium has said "en-US@posix".

try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en", configurable: true });
}
