import type { Quotas } from '#native-routes/ports.ts'
import type { Settings } from './settings.ts'

/** Reads the quotas from the settings. */
export const readQuotas = (settings: Settings): Quotas => ({
  libraries: settings.QUOTA_LIBRARIES,
  links: settings.QUOTA_LINKS,
  revokedLinks: settings.QUOTA_REVOKED_LINKS,
  documents: settings.QUOTA_DOCUMENTS,
  versions: settings.QUOTA_VERSIONS,
  pendingUploadBytes: settings.QUOTA_PENDING_UPLOAD_BYTES,
})
