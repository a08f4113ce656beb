import * as z from 'zod'
import { multilineText, singleLineText } from './input.ts'
import { territories } from './territories.ts'

const percentage = z
  .number('expected a number')
  .min(0, 'expected 0 to 100')
  .max(100, 'expected 0 to 100')
  .transform((value) => Math.round(value * 10_000) / 10_000)

const collaboratorId = singleLineText(1, 128)

const territory = z
  .string('expected a string')
  .refine((code) => territories.has(code), 'expected WORLD or the two letters of a country')

const list = <T extends z.ZodType>(item: T) => z.array(item, 'expected an array')

const Entry = z.object({ collaboratorId, percentage })

const CollectionSplit = z.object({
  right: z.enum(['mechanical', 'performance', 'sync', 'print', 'other'], 'not a right'),
  percentage,
  territory: territory.default('WORLD'),
})

const SubPublisher = Entry.extend({
  territories: list(territory).min(1, 'expected at least one'),
  collectionSplits: list(CollectionSplit).default([]),
})

const Publisher = Entry.extend({
  writerCollaboratorId: collaboratorId.nullable().default(null),
  role: z
    .enum(['original_publisher', 'administrator', 'co_publisher'], 'not a role of publishers')
    .default('original_publisher'),
  territory: territory.default('WORLD'),
  subPublishers: list(SubPublisher).default([]),
  collectionSplits: list(CollectionSplit).default([]),
})

/** A split sheet as clients send it, with defaults for omitted fields; stored in the same form. */
export const SplitSheet = z.object({
  address: multilineText(500).default(''),
  intendedUse: multilineText(500).default(''),
  master: list(Entry).min(1, 'expected at least one'),
  writers: list(Entry).min(1, 'expected at least one'),
  publishers: list(Publisher).default([]),
})
export type SplitSheet = z.output<typeof SplitSheet>
