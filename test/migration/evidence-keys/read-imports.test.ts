import { expect, it } from 'vitest'
import { readImports } from '#migration/evidence-keys/import-closure.ts'

it('readImports finds the modules that are imported at run time', () => {
  const source = `
import * as z from 'zod'
import './effect.ts'
import {
  type Label,
  rowOf,
} from '#contracts/shared/row.ts'
export { one } from './one.ts'
export * from './all.ts'
const later = () => import('./later.ts')
`
  expect(readImports(source, 'a.ts')).toEqual([
    'zod',
    './effect.ts',
    '#contracts/shared/row.ts',
    './one.ts',
    './all.ts',
    './later.ts',
  ])
})

it('readImports ignores imports in types, comments and strings', () => {
  const source = `
import type { Label } from './label.ts'
export type { Row } from './row.ts'
// import './comment.ts'
const text = "import './text.ts'"
const template = \`import './template.ts'\`
const meta = import.meta.dirname
const computed = (name: string) => import(name)
`
  expect(readImports(source, 'a.ts')).toEqual([])
})

it('readImports finds an import after types that are not valid JavaScript', () => {
  const source = `
export const headers = {} as const satisfies Record<string, { readonly a: string; readonly b: z.ZodType }>

export type Name = keyof typeof headers
const load = () => import('./later.ts')
`
  expect(readImports(source, 'a.ts')).toEqual(['./later.ts'])
})

it('readImports names a file that it cannot read', () => {
  expect(() => readImports("import { a } from './a.ts'\n}", 'contracts/broken.ts')).toThrow(
    /contracts\/broken\.ts/,
  )
})
