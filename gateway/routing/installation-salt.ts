import { signHmac } from '#shared/hmac-sha256.ts'
import type { Settings } from '../settings/settings.ts'

/** The salt of the buckets: the same for all instances, and different for each installation. */
export const readInstallationSalt = ({ GATEWAY_SECRET }: Pick<Settings, 'GATEWAY_SECRET'>) =>
  signHmac(GATEWAY_SECRET, 'routing').toString('hex')
