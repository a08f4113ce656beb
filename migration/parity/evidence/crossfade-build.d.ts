/** What `dev/tools/write-build.ts` writes before a bundle is built, which contains the file. */
declare module 'crossfade:build' {
  export const id: string
  /** The evidence keys by label. */
  export const keys: Readonly<Record<string, string>>
}
