import * as z from 'zod'
import { Issue } from '../errors.ts'
import { Id, Percent, Timestamp } from './primitives.ts'
import { Territory } from './territory.ts'

export const PublisherRole = z.enum(['original_publisher', 'administrator', 'co_publisher'])

/** The right whose revenue a collection split divides. */
export const SplitRight = z.enum(['mechanical', 'performance', 'sync', 'print', 'other'])

const Share = z.object({ collaboratorId: z.string(), percentage: Percent })

// the person or company behind a share
const identity = {
  name: z.string().nullable(),
  pro: z.string().nullable(),
  ipi: z.string().nullable(),
}

const Entry = Share.extend({ ...identity, role: z.string().nullable() })

const CollectionSplit = z.object({ right: SplitRight, percentage: Percent, territory: Territory })

const SubPublisher = Share.extend({
  ...identity,
  territories: z.array(Territory),
  collectionSplits: z.array(CollectionSplit),
})

const Publisher = Share.extend({
  ...identity,
  writerCollaboratorId: z.string().nullable(),
  role: PublisherRole,
  territory: Territory,
  subPublishers: z.array(SubPublisher),
  collectionSplits: z.array(CollectionSplit),
})

/**
 * Who owns a track, in the order in which the entries were sent. A track without a stored sheet has an empty,
 * incomplete one.
 */
export const SplitSheet = z.object({
  trackId: Id,
  address: z.string(),
  intendedUse: z.string(),
  master: z.array(Entry),
  writers: z.array(Entry),
  publishers: z.array(Publisher),
  status: z.object({
    isComplete: z.boolean(),
    validationErrors: z.array(Issue),
    validatedAt: Timestamp.nullable(),
  }),
  createdAt: Timestamp.nullable(),
  updatedAt: Timestamp.nullable(),
})
export type SplitSheet = z.infer<typeof SplitSheet>
