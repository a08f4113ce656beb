import type * as z from 'zod'
import type { Quotas } from '#native-routes/ports.ts'
import { bytes, integerBetween, wholeNumber } from './setting-types.ts'

const quota = (fallback: number) => wholeNumber(fallback).pipe(integerBetween(1, 1_000_000))

export const quotaSettings = {
  QUOTA_LIBRARIES: quota(1000),
  QUOTA_LINKS: quota(1000),
  QUOTA_REVOKED_LINKS: quota(10_000),
  QUOTA_DOCUMENTS: quota(1000),
  QUOTA_VERSIONS: quota(1000),
  QUOTA_PENDING_UPLOAD_BYTES: bytes(53_687_091_200),
}

type QuotaVariables = z.infer<z.ZodObject<typeof quotaSettings>>

export const readQuotas = (settings: QuotaVariables): Quotas => ({
  libraries: settings.QUOTA_LIBRARIES,
  links: settings.QUOTA_LINKS,
  revokedLinks: settings.QUOTA_REVOKED_LINKS,
  documents: settings.QUOTA_DOCUMENTS,
  versions: settings.QUOTA_VERSIONS,
  pendingUploadBytes: settings.QUOTA_PENDING_UPLOAD_BYTES,
})
