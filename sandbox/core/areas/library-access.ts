import type { Actor } from '../authenticate.ts'
import { CoreError } from '../core-error.ts'
import type { Queryable } from '../database.ts'

const grades = ['viewer', 'editor', 'admin', 'owner'] as const
type Grade = (typeof grades)[number]

interface ReachedLibrary {
  readonly id: string
  readonly ownerId: string
  readonly grade: Grade
}

/** Lets changes of one library pass one after another. The library may be gone since it was looked up. */
export const lockLibrary = async (tx: Queryable, libraryId: string) => {
  const [library] = await tx`select 1 from libraries where id = ${libraryId} for update`
  if (!library) throw new CoreError('library_not_found')
}

/** A library as far as this actor reaches it: as its owner or by an accepted share. Null for everybody else. */
export const findLibrary = async (sql: Queryable, { accountId }: Actor, libraryId: string | null) => {
  const [library] = await sql<ReachedLibrary[]>`
    select libraries.id, owner_id, case when owner_id = ${accountId} then 'owner' else access_type end as grade
    from libraries left join library_shares shares
      on shares.library_id = libraries.id and shares.target_user_id = ${accountId}
        and shares.invite_status = 'accepted'
    where libraries.id = ${libraryId} and (owner_id = ${accountId} or shares.id is not null)`
  return library ?? null
}

/** The library, or the refusal: hidden from strangers, forbidden to whoever has a lower grade. */
export const requireLibrary = async (
  sql: Queryable,
  actor: Actor,
  libraryId: string | null,
  needed: Grade,
): Promise<ReachedLibrary> => {
  const library = await findLibrary(sql, actor, libraryId)
  if (!library) throw new CoreError('library_not_found')
  if (grades.indexOf(library.grade) < grades.indexOf(needed)) throw new CoreError('forbidden')
  return library
}
