import * as z from 'zod'
import { LongText, Percent, Str } from './primitives.ts'
import { PublisherRole, SplitRight, TerritoryInput } from './split-sheet.ts'

const Share = Percent.transform((percentage) => Math.round(percentage * 10_000) / 10_000)

const Entry = z.object({ collaboratorId: Str(128), percentage: Share })

const CollectionSplit = z.object({
  right: SplitRight,
  percentage: Share,
  territory: TerritoryInput.default('WORLD'),
})

const SubPublisher = Entry.extend({
  territories: z.array(TerritoryInput).min(1),
  collectionSplits: z.array(CollectionSplit).default([]),
})

const Publisher = Entry.extend({
  writerCollaboratorId: Str(128).nullable().default(null),
  role: PublisherRole.default('original_publisher'),
  territory: TerritoryInput.default('WORLD'),
  subPublishers: z.array(SubPublisher).default([]),
  collectionSplits: z.array(CollectionSplit).default([]),
})

export const SplitSheetInput = z.object({
  address: LongText(500).default(''),
  intendedUse: LongText(500).default(''),
  master: z.array(Entry).min(1),
  writers: z.array(Entry).min(1),
  publishers: z.array(Publisher).default([]),
})
export type SplitSheetInput = z.output<typeof SplitSheetInput>
