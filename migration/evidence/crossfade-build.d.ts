/** What `gateway/start/write-build.ts` writes before the bundle is built; `wrangler.toml` names the file. */
declare module 'crossfade:build' {
  export const id: string
  /** The evidence keys by label. */
  export const keys: Readonly<Record<string, string>>
}
