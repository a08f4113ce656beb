import type { TestDatabase } from './database.ts'
import type { TestAccount } from './gateway.ts'

type Grade = 'viewer' | 'editor' | 'admin'

export const insertTrackOf = async (sql: TestDatabase['sql'], ownerId: string, title = 'Night Drive') => {
  const id = crypto.randomUUID()
  await sql`
    insert into tracks (id, owner_id, title, artist, duration_ms)
    values (${id}, ${ownerId}, ${title}, 'The Owls', 201000)`
  return id
}

export const createLibrary = async (owner: TestAccount, name = 'Demos') => {
  const { body } = await owner.post('/v1/libraries', { name })
  return body
}

export const inviteToLibrary = async (
  owner: TestAccount,
  library: { id: string },
  invitee: { targetUserId: string } | { email: string },
  accessType: Grade = 'viewer',
) => {
  const { body } = await owner.post(`/v1/libraries/${library.id}/shares`, { ...invitee, accessType })
  return body
}

export const shareLibrary = async (
  owner: TestAccount,
  library: { id: string },
  guest: TestAccount,
  accessType: Grade = 'viewer',
) => {
  const { id } = await inviteToLibrary(owner, library, { targetUserId: guest.accountId }, accessType)
  const { body } = await guest.patch(`/v1/libraries/${library.id}/shares/${id}`, { inviteStatus: 'accepted' })
  return body
}
