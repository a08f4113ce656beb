import type { Actor } from '../authenticate.ts'
import { CoreError } from '../core-error.ts'
import type { Queryable } from '../database.ts'

const grades = ['viewer', 'editor', 'admin', 'owner'] as const
type Grade = (typeof grades)[number]

interface AccessibleLibrary {
  readonly id: string
  readonly ownerId: string
  readonly grade: Grade
}

export const lockLibrary = async (tx: Queryable, libraryId: string) => {
  const [library] = await tx`select 1 from libraries where id = ${libraryId} for update`
  if (!library) throw new CoreError('library_not_found')
}

/** Returns a library that the actor owns or has an accepted share of; null for other accounts. */
export const findLibrary = async (sql: Queryable, { accountId }: Actor, libraryId: string | null) => {
  const [library] = await sql<AccessibleLibrary[]>`
    select libraries.id, owner_id, case when owner_id = ${accountId} then 'owner' else access_type end as grade
    from libraries left join library_shares shares
      on shares.library_id = libraries.id and shares.target_user_id = ${accountId}
        and shares.invite_status = 'accepted'
    where libraries.id = ${libraryId} and (owner_id = ${accountId} or shares.id is not null)`
  return library ?? null
}

export const requireLibrary = async (
  sql: Queryable,
  actor: Actor,
  libraryId: string | null,
  requiredGrade: Grade,
): Promise<AccessibleLibrary> => {
  const library = await findLibrary(sql, actor, libraryId)
  if (!library) throw new CoreError('library_not_found')
  if (grades.indexOf(library.grade) < grades.indexOf(requiredGrade)) throw new CoreError('forbidden')
  return library
}
