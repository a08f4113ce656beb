import fc from 'fast-check'
import type { Label } from '#contracts/route-table.ts'
import { audioContentTypes, documentContentTypes, imageContentTypes } from '#contracts/shared/uploads.ts'
import { edgeCaseValues, mostlyValid } from './generated-bodies.ts'

const percentage = mostlyValid(
  fc.oneof(fc.constantFrom(100, 50, 25, 33.33, 0, 50.01), fc.double({ min: 0, max: 100, noNaN: true })),
)
const collaboratorId = mostlyValid(fc.constantFrom('ann', 'bea', 'cat', 'Renée 🎹'))
const territory = mostlyValid(fc.constantFrom('WORLD', 'DE', 'GB'))
const text = mostlyValid(fc.string({ unit: 'grapheme', maxLength: 40 }))
const few = <T>(item: fc.Arbitrary<T>) => mostlyValid(fc.array(item, { minLength: 1, maxLength: 3 }))

const share = { collaboratorId, percentage }
const whole = fc.constant([{ collaboratorId: 'ann', percentage: 100 }])
const entries = fc.oneof({ weight: 4, arbitrary: whole }, { weight: 1, arbitrary: few(fc.record(share)) })
const collectionSplits = few(
  fc.record(
    { right: mostlyValid(fc.constantFrom('sync', 'print', 'mechanical')), percentage, territory },
    { requiredKeys: ['right', 'percentage'] },
  ),
)
const subPublishers = few(
  fc.record(
    { ...share, territories: few(territory), collectionSplits },
    { requiredKeys: ['collaboratorId', 'percentage', 'territories'] },
  ),
)
const publishers = few(
  fc.record(
    {
      ...share,
      writerCollaboratorId: fc.oneof(collaboratorId, fc.constant(null)),
      role: mostlyValid(fc.constantFrom('original_publisher', 'administrator', 'co_publisher')),
      territory,
      subPublishers,
      collectionSplits,
    },
    { requiredKeys: ['collaboratorId', 'percentage'] },
  ),
)

const line = fc.record(
  { startMs: mostlyValid(fc.nat()), endMs: mostlyValid(fc.nat()), text },
  { requiredKeys: ['startMs', 'text'] },
)

const name = mostlyValid(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }))
const file = (contentTypes: readonly string[]) => ({
  fileName: mostlyValid(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((text) => text.replace(/[/\\]/g, '_')),
  ),
  contentType: mostlyValid(fc.constantFrom(...contentTypes)),
  byteSize: mostlyValid(fc.integer({ min: 1, max: 20_000_000 })),
  unknown: edgeCaseValues,
})
const requiredKeys: ['fileName', 'contentType', 'byteSize'] = ['fileName', 'contentType', 'byteSize']

/** Generated bodies for the track routes that have one: mostly valid, with occasional invalid parts. */
export const trackBodies: { readonly [L in Label]?: fc.Arbitrary<unknown> } = {
  'tracks.metadata.update': fc.record(
    {
      title: text,
      artist: text,
      isrc: mostlyValid(fc.constantFrom('GB-AYE-68-00023', 'gbaye6800023', null)),
      iswc: mostlyValid(fc.constantFrom('T-034.524.680-1', null)),
      releaseDate: mostlyValid(fc.constantFrom('2024-02-29', '0001-01-01', '9999-12-31', '2023-02-29', null)),
      unknown: edgeCaseValues,
    },
    { requiredKeys: [] },
  ),
  'tracks.lyrics.replace': fc.record(
    {
      text,
      language: mostlyValid(fc.constantFrom('en', 'pt-BR', 'zh-Hant-TW', null)),
      lines: mostlyValid(
        fc
          .array(line, { maxLength: 5 })
          .map((lines) => lines.sort((a, b) => Number(a.startMs) - Number(b.startMs))),
      ),
    },
    { requiredKeys: [] },
  ),
  'tracks.split-sheet.replace': fc.record(
    {
      address: text,
      intendedUse: text,
      master: entries,
      writers: entries,
      publishers: fc.oneof(whole, publishers),
    },
    { requiredKeys: ['master', 'writers'] },
  ),
  'tracks.versions.upload': fc.record(file(audioContentTypes), { requiredKeys }),
  'tracks.artwork.upload': fc.record(file(imageContentTypes), { requiredKeys }),
  'tracks.documents.upload': fc.record(
    {
      ...file(documentContentTypes),
      title: fc.oneof(name, fc.constant(null)),
      documentType: mostlyValid(fc.constantFrom('contract', 'license', 'other')),
    },
    { requiredKeys },
  ),
  'tracks.share-links.create': fc.record(
    {
      name,
      expiresAt: mostlyValid(
        fc.constantFrom('2999-01-01T00:00:00Z', '2999-01-01T00:00:00+02:00', '1999-01-01T00:00:00Z'),
      ),
      unknown: edgeCaseValues,
    },
    { requiredKeys: [] },
  ),
}
