import { ApiError, invalid } from '#contracts/errors.ts'
import { create } from '#contracts/packs.links.ts'
import { insertPackLink } from '#db/queries/packs/pack-links.ts'
import { defineRoute } from '../define-route.ts'
import { presentPackLink } from './present-pack-link.ts'

// 128 random bits: without an access code, only the slug protects the pack.
const createSlug = () => Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex')

export const createPackLink = defineRoute(create, async ({ pack, body }, { db, clock, accessCodes }) => {
  const { accessCode, slug = createSlug(), ...fields } = body
  if (fields.expiresAt !== undefined && Date.parse(fields.expiresAt) <= clock.now().valueOf())
    throw invalid('expiresAt', 'must be in the future')
  // Hashed before the transaction, which would otherwise hold a connection during the slow hash.
  const accessCodeHash = accessCode === undefined ? null : await accessCodes.hash(accessCode)
  return db.tx(async (tx) => {
    const link = await insertPackLink(tx, { packId: pack.id, slug, accessCodeHash, ...fields })
    if (!link) throw new ApiError('slug_conflict')
    return presentPackLink(link)
  })
})
