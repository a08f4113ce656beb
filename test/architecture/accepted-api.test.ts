import { describe, expect, it } from 'vitest'
import { createShape, readAcceptedShape } from '#dev/tools/api/accepted-shape.ts'
import { listBreakingChanges } from '#dev/tools/api/breaking-changes.ts'

describe('the API description', () => {
  it('breaks no client that relies on the accepted description', () => {
    expect(listBreakingChanges(readAcceptedShape(), createShape())).toEqual([])
  })

  it('matches the accepted description (`npm run accept-api` accepts additions)', () => {
    expect(createShape()).toEqual(readAcceptedShape())
  })
})
