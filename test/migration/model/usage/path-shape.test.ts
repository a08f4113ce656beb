import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shapeOfPath } from '#migration/model/usage/path-shape.ts'

describe("a path's shape", () => {
  it("contains the route table's words and the names of collections, but no id, slug, token or address", () => {
    for (const [path, shape] of [
      ['/v1/reports', '/v1/reports'],
      ['/v1/reports/7', '/v1/reports/:id'],
      ['/v1/reports/0199c1f0-5f4c-7000-8000-000000000000/pages/2', '/v1/reports/:id/pages/:id'],
      ['/v1/tracks/trk_9/comments', '/v1/tracks/:id/comments'],
      ['/v1/users/alice', '/v1/users/:id'],
      ['/v1/users/alice@example.test/settings', '/v1/users/:id/settings'],
      ['/v1/public/pack-links/harbour', '/v1/public/pack-links/:id'],
      ['/v1/pack-links/harbour-ep', '/v1/pack-links/:id'],
      ['/v1/REPORTS/', '/v1/:id/:id'],
      ['/v1', '/v1'],
      [`/v1/${'a'.repeat(40)}`, '/v1/:id'],
      ['/v1/a/b/c/d/e/f/g/h/i/j', '/v1/:id/:id/:id/:id/:id/:id/:id/...'],
    ] as const)
      expect(shapeOfPath(path), path).toBe(shape)
  })

  it('is short, whatever path a client sends', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 300 }), { maxLength: 200 }), (segments) => {
        expect(shapeOfPath(`/v1/${segments.join('/')}`).length).toBeLessThan(250)
      }),
    )
  })
})
