/** Written by `dev/tools/write-build.ts` before a bundle is built, and included in the bundle. */
declare module 'crossfade:build' {
  export const id: string
  export const keys: Readonly<Record<string, string>>
}
