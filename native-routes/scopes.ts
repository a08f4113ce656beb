import type { LibraryScope, Scope } from '#contracts/route-table.ts'
import type { OwnedTrack } from '#db/queries/tracks.ts'
import { type LibraryOfActor, requireLibrary } from './libraries/require-library.ts'
import { requireShare } from './libraries/require-share.ts'
import type { Actor, Ports } from './ports.ts'
import { requireOwnedTrack } from './tracks/require-owned-track.ts'

/** What a row's scope adds to the handler's input. */
export type ScopeOf<S> = S extends 'track'
  ? { readonly track: OwnedTrack }
  : S extends LibraryScope
    ? { readonly library: LibraryOfActor }
    : unknown

type Params = Readonly<Record<string, string>>

/** Fetches the resource of a scope for this actor, or throws the not-found (or `forbidden`) of that scope. */
export const resolveScope = async (scope: Scope, actor: Actor, params: Params, { db }: Pick<Ports, 'db'>) => {
  if (scope === 'track') return { track: await requireOwnedTrack(db.read, params.trackId, actor) }
  const library = await requireLibrary(db.read, params.libraryId, actor, scope)
  if (scope === 'library:party') await requireShare(db.read, library, params.shareId, actor)
  return { library }
}
