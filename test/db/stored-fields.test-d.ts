import type * as z from 'zod'
import type { update as changeLibrary, create as createLibrary } from '#contracts/libraries.ts'
import type { replace as replaceLyrics } from '#contracts/tracks.lyrics.ts'
import type { update as changeMetadata } from '#contracts/tracks.metadata.ts'
import type { create as createShareLink } from '#contracts/tracks.share-links.ts'
import type { replace as replaceSplitSheet } from '#contracts/tracks.split-sheet.ts'
import type { EveryKeyOf, Queryable } from '#db/client/connection.ts'
import { insertLibrary, updateLibrary } from '#db/queries/libraries/libraries.ts'
import { replaceSplitSheetOfTrack } from '#db/queries/tracks/split-sheets.ts'
import { replaceTrackLyricsByOwner } from '#db/queries/tracks/track-lyrics.ts'
import { insertTrackShareLink } from '#db/queries/tracks/track-share-links.ts'
import { updateTrackMetadata } from '#db/queries/tracks/tracks.ts'
import { packs } from '#db/schema/packs.ts'

// A compile-time test: a field or column that nothing stores must be a type error, otherwise `tsc` fails.

declare const tx: Queryable

/** A route's input after its contract gained a field. */
type Extended<C extends { readonly body: z.ZodType }> = z.output<C['body']> & { readonly added?: string }

declare const library: Extended<typeof createLibrary>
declare const libraryChange: Extended<typeof changeLibrary>
declare const lyrics: Extended<typeof replaceLyrics> & { readonly status: 'ready' }
declare const metadata: Extended<typeof changeMetadata> & {
  readonly isrcCompact: string | null | undefined
  readonly iswcCompact: string | null | undefined
}
declare const link: Extended<typeof createShareLink> &
  Record<'trackId' | 'tokenHash' | 'tokenPreview', string>
declare const sheet: Extended<typeof replaceSplitSheet>

// @ts-expect-error libraries.create
export const createdLibrary = () => insertLibrary(tx, { ownerId: 'a', ...library })
// @ts-expect-error libraries.update
export const changedLibrary = () => updateLibrary(tx, 'a', libraryChange)
// @ts-expect-error tracks.lyrics.replace
export const replacedLyrics = () => replaceTrackLyricsByOwner(tx, 'a', lyrics)
// @ts-expect-error tracks.metadata.update
export const changedMetadata = () => updateTrackMetadata(tx, 'a', metadata)
// @ts-expect-error tracks.share-links.create
export const createdLink = () => insertTrackShareLink(tx, link)
// @ts-expect-error tracks.split-sheet.replace
export const replacedSheet = () => replaceSplitSheetOfTrack(tx, 'a', sheet)

const pack = { id: 'a', ownerId: 'b', name: 'c' }

// @ts-expect-error an insert names every column that has no default
export const insertedWithoutDescription = () => tx.insert(packs).values(pack)
// @ts-expect-error an insert of several rows does so for each row
export const insertedRows = () => tx.insert(packs).values([pack])
export const inserted = () => tx.insert(packs).values({ ...pack, description: null })

interface Columns {
  readonly name: string
  readonly note?: string | undefined
}
const store = <C extends Columns>(columns: EveryKeyOf<Columns, C>) => columns
declare const stored: Columns
declare const wider: Columns & { readonly added?: string }
declare const narrower: Pick<Columns, 'name'>

export const storedAll = store(stored)
// @ts-expect-error a field without a column
export const storedTooMany = store(wider)
// @ts-expect-error a column, even an optional one, that no field provides
export const storedTooFew = store(narrower)
