import type { NewSaleReport } from '#db/queries/billing/sale-reports.ts'
import type { OperatorNotice } from '#db/queries/jobs/jobs.ts'
import type { Reconciliation } from '#native-routes/billing/reconcile-account.ts'
import type { DatabasePort, LogPort, StoragePort } from '#native-routes/ports.ts'
import type { Ffmpeg } from './analysis/find-ffmpeg.ts'

interface AnalysisRequest {
  readonly dispatchId: string
  readonly audioUrl: string
  readonly contentType: string
  readonly byteSize: number | null
  readonly durationMs: number | null
}

/** Results arrive by callback. `dispatch` throws `RetryLaterError` if the service does not accept the work. */
export interface AnalysisPort {
  dispatch(request: AnalysisRequest): Promise<void>
}

type StemRejectionReason =
  | 'destination_not_allowed'
  | 'redirected'
  | 'content_encoded'
  | 'too_large'
  | 'not_audio'

/** A stem was rejected for a reason no retry can change. */
export class StemRejectedError extends Error {
  override name = 'StemRejectedError'
  readonly reason: StemRejectionReason
  /** Host and port of the URL. Path and query are dropped, because they may contain a signature. */
  readonly host: string | undefined

  constructor(reason: StemRejectionReason, url: string) {
    super(`stem rejected: ${reason}`)
    this.reason = reason
    this.host = URL.parse(url)?.host
  }
}

export interface StemDownloadPort {
  /**
   * Writes the response body of `url` to a new file at `path`. Throws `StemRejectedError` if no retry can succeed,
   * `RetryLaterError` if the server is unavailable, and other errors if neither is certain.
   */
  download(url: string, path: string, signal: AbortSignal): Promise<void>
}

export interface ReconciliationPort {
  /** Returns null if the account is gone. Throws if the provider fails. */
  reconcile(accountId: string): Promise<Reconciliation | null>
}

/** `report` throws unless the provider accepts the sale. */
export interface SalesPort {
  report(sale: NewSaleReport): Promise<void>
}

/** An email. Because of its `id`, the provider sends it only once, however often it is requested within a day. */
interface OutgoingEmail {
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

/**
 * The provider's response. `accepted` has the provider's own id for the email. `accepted-before`: an email with this id
 * but different content was accepted earlier. `rejected`: no retry can succeed.
 */
export type EmailOutcome =
  | { readonly kind: 'accepted'; readonly providerEmailId: string }
  | { readonly kind: 'accepted-before' }
  | { readonly kind: 'rejected'; readonly status: number; readonly reason: string | null }

/** `send` throws if a retry may succeed. The error is a `RetryLaterError` if the provider responded. */
export interface EmailPort {
  send(email: OutgoingEmail, signal: AbortSignal): Promise<EmailOutcome>
}

export interface NoticePort {
  send(notice: OperatorNotice, signal: AbortSignal): Promise<void>
}

export interface JobPorts {
  readonly db: DatabasePort
  readonly storage: StoragePort
  readonly analysis: AnalysisPort | null
  readonly stems: StemDownloadPort
  readonly ffmpeg: Ffmpeg | null
  readonly billing: ReconciliationPort | null
  readonly sales: SalesPort | null
  readonly email: EmailPort | null
  readonly notices: NoticePort | null
  /** For links in emails. */
  readonly appOrigin: string | null
  readonly eventRetentionDays: number
  readonly threadRetentionDays: number
  readonly clock: { now(): Date }
  readonly log: LogPort
}
