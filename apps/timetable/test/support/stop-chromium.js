export default async function stopChromium() {
  await globalThis.chromiumServer?.close();
}
