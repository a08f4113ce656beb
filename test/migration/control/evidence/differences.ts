import type { Difference } from '#migration/diff/verdict.ts'

export const differenceOf = (signature: string, changes: Partial<Difference> = {}): Difference => ({
  kind: 'value',
  path: 'body.tracks.*.title',
  class: 'regression',
  blame: 'native',
  signature,
  count: 1,
  example: { path: 'body.tracks.0.title', native: 'string #0123456789', core: 'string #abcdef0123' },
  ...changes,
})
