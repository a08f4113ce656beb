import { v7 as uuidv7 } from 'uuid'
import * as z from 'zod'
import { libraryNameKey } from '#db/library-name-key.ts'
import { type Actor, requireActor } from '../authenticate.ts'
import { CoreError } from '../core-error.ts'
import type { RegisterRoutes } from '../create-app.ts'
import { type Queryable, requireRow, rethrowViolation } from '../database.ts'
import { multilineText, pathId, readBody, readQuery, singleLineText } from '../input.ts'
import { requireQuotaLeft } from '../quotas.ts'

const columns = (sql: Queryable) => sql`
  libraries.id, libraries.name, libraries.description, libraries.created_at, libraries.updated_at`

const columnsWithCounts = (sql: Queryable) => sql`
  ${columns(sql)},
  (select count(*)::int from library_tracks where library_id = libraries.id) as track_count,
  (select count(*)::int from library_shares
    where library_id = libraries.id and invite_status in ('pending', 'accepted')) as share_count`

const name = singleLineText(1, 120)

const NewLibrary = z.object({ name })

const LibraryChange = z
  .object({ name: name.optional(), description: multilineText(2000).nullish() })
  .refine((change) => change.name !== undefined || change.description !== undefined, 'nothing to change')

const SharedQuery = z.object({
  inviteStatus: z.enum(['accepted', 'pending'], 'expected accepted or pending').default('accepted'),
})

const rethrowAsNameConflict = rethrowViolation('unique', 'library_name_conflict')

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

export const libraries: RegisterRoutes = (app, { sql, settings }) => {
  app.get('/v1/libraries', async (request) => ({
    records: await sql`
      select ${columnsWithCounts(sql)} from libraries where owner_id = ${requireActor(request).accountId}
      order by updated_at desc, id desc`,
  }))

  app.post('/v1/libraries', async (request, reply) => {
    const { accountId } = requireActor(request)
    const library = readBody(request, NewLibrary)
    const row = await sql.begin(async (tx) => {
      await requireQuotaLeft(tx, {
        quota: 'libraries',
        limit: settings.QUOTA_LIBRARIES,
        subjectId: accountId,
        count: () => tx<{ used: number }[]>`
          select count(*)::int as used from libraries where owner_id = ${accountId}`,
      })
      return requireRow(
        await tx`
          insert into libraries
            ${tx({ id: uuidv7(), ownerId: accountId, name: library.name, nameKey: libraryNameKey(library.name) })}
          returning ${columns(tx)}`.catch(rethrowAsNameConflict),
      )
    })
    return reply.code(201).send(row)
  })

  app.get('/v1/libraries/shared-with-me', async (request) => {
    const { accountId, email, emailVerified } = requireActor(request)
    const { inviteStatus } = readQuery(request, SharedQuery)
    const invitedByEmail = emailVerified && inviteStatus === 'pending' ? email : null
    const records = await sql`
      select ${columns(sql)}, shares.id as share_id, shares.access_type
      from libraries join library_shares shares on shares.library_id = libraries.id
      where shares.invite_status = ${inviteStatus}
        and (shares.target_user_id = ${accountId}
          or (shares.target_user_id is null and shares.email = ${invitedByEmail}))
      order by libraries.updated_at desc, shares.id desc`
    return { records }
  })

  for (const url of ['/v1/libraries/:libraryId', '/v1/libraries/:libraryId/presentation'])
    app.get(url, async (request) => {
      const library = await requireLibrary(sql, requireActor(request), pathId(request, 'libraryId'), 'viewer')
      const [row] = await sql`
        select ${columnsWithCounts(sql)} from libraries where id = ${library.id}`
      if (!row) throw new CoreError('library_not_found')
      return row
    })

  app.patch('/v1/libraries/:libraryId', async (request) => {
    const library = await requireLibrary(sql, requireActor(request), pathId(request, 'libraryId'), 'admin')
    const change = readBody(request, LibraryChange)
    const [row] = await sql`
      update libraries set
        ${change.name === undefined ? sql`` : sql`name = ${change.name}, name_key = ${libraryNameKey(change.name)},`}
        ${change.description === undefined ? sql`` : sql`description = ${change.description},`}
        updated_at = now()
      where id = ${library.id} returning ${columns(sql)}`.catch(rethrowAsNameConflict)
    if (!row) throw new CoreError('library_not_found')
    return row
  })

  app.delete('/v1/libraries/:libraryId', async (request, reply) => {
    const library = await requireLibrary(sql, requireActor(request), pathId(request, 'libraryId'), 'owner')
    await sql`delete from libraries where id = ${library.id}`
    return reply.code(204).send()
  })
}
