import { describe, expect, it } from 'vitest'
import {
  audioContentTypes,
  contentTypeAliases,
  documentContentTypes,
  imageContentTypes,
} from '#contracts/shared/uploads.ts'
import { storedTypeOf } from '#jobs/analysis/media-family.ts'

describe('the stored type of a file', () => {
  const allowed = { audio: audioContentTypes, image: imageContentTypes, document: documentContentTypes }

  it.each(Object.keys(allowed) as (keyof typeof allowed)[])('is a type that the core knows: %s', (kind) => {
    for (const alias of contentTypeAliases[kind]) expect(allowed[kind]).toContain(storedTypeOf(alias))
    for (const contentType of allowed[kind]) expect(storedTypeOf(contentType)).toBe(contentType)
  })
})
