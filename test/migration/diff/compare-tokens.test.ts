import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { SharePath, Token, TokenPreview } from '#contracts/shared/primitives.ts'
import { compareValues } from '#migration/diff/compare-values.ts'
import { toDiffSchema } from '#migration/diff/diff-schema.ts'
import { body, createCollector } from '#migration/diff/difference-collector.ts'

const Link = z.object({ token: Token, tokenPreview: TokenPreview, sharePath: SharePath('tracks') })

const toLink = (letter: string, last = 'wxyz') => ({
  token: letter.repeat(39) + last,
  tokenPreview: last,
  sharePath: `/share/tracks/${letter.repeat(39)}${last}`,
})
type Link = ReturnType<typeof toLink>

const find = (native: Link, core: Link) => {
  const found = createCollector(true, 'near')
  compareValues(found, toDiffSchema(Link), native, core, body)
  return found.list().map(({ location }) => location.path)
}

describe("a record's tokens", () => {
  it('may differ between the sides', () => {
    expect(find(toLink('a'), toLink('b', '1234'))).toEqual([])
  })

  it('must be related to each other in the same way on both sides', () => {
    const native = toLink('a')
    expect(find({ ...native, tokenPreview: 'aaaa' }, toLink('b', '1234'))).toEqual(['body.tokenPreview'])
    expect(find({ ...native, sharePath: toLink('c').sharePath }, toLink('b', '1234'))).toEqual(['body.token'])
    expect(find(toLink('b', '1234'), { ...native, tokenPreview: 'aaaa' })).toEqual(['body.tokenPreview'])
  })
})
