import type { NewSaleReport } from '#db/queries/billing/sale-reports.ts'
import type { SubscriptionState } from '#db/queries/billing/subscriptions.ts'
import type { OperatorNotice } from '#db/queries/jobs/jobs.ts'
import type { DatabasePort, LogPort, StoragePort } from '#native-routes/ports.ts'
import type { Ffmpeg } from './analysis/find-ffmpeg.ts'

/** The audio of a version, as sent to the analysis service. */
interface AnalysisRequest {
  readonly dispatchId: string
  readonly audioUrl: string
  readonly contentType: string
  readonly byteSize: number | null
  readonly durationMs: number | null
}

/**
 * The audio analysis service. Results arrive by callback. `dispatch` throws `RetryLaterError` when the service does not
 * accept the work.
 */
export interface AnalysisPort {
  dispatch(request: AnalysisRequest): Promise<void>
}

/** Downloads separated stems from the URLs in a callback. The URLs are untrusted. */
export interface StemDownloadPort {
  /**
   * Writes the response body of `url` to a new file at `path`. Throws `StemRejectedError` when a retry cannot succeed,
   * `RetryLaterError` when the server is unavailable, and any other error when it is not known.
   */
  download(url: string, path: string, signal: AbortSignal): Promise<void>
}

/** An account compared with the billing provider. */
export interface Reconciliation {
  /** The subscription of the account before and after; null if nothing differs. */
  readonly change: { readonly before: SubscriptionState; readonly after: SubscriptionState } | null
  /** The subscription whose price no plan has: the account keeps its plan. */
  readonly unknownPriceOf: string | null
  /** Live subscriptions beyond the first: syncing the account cancels them. */
  readonly surplus: readonly string[]
}

/** Brings stored subscriptions in line with the billing provider. */
export interface ReconciliationPort {
  /**
   * Syncs the subscription of an account. Returns null for an account that is gone. Throws when the provider fails.
   */
  reconcile(accountId: string): Promise<Reconciliation | null>
}

/** The provider that records sales that came through share links. `report` throws when it does not accept a sale. */
export interface SalesPort {
  report(sale: NewSaleReport): Promise<void>
}

/** An e-mail; `id` identifies it to the provider, which sends it once however often it is requested within a day. */
interface OutgoingEmail {
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

/**
 * The response of the provider: it accepted the e-mail and returned its own id; it accepted an e-mail with this id but
 * another content before, whose own id it does not return; or it rejected the e-mail for a reason that no retry changes.
 */
export type EmailOutcome =
  | { readonly kind: 'accepted'; readonly providerEmailId: string }
  | { readonly kind: 'accepted-before' }
  | { readonly kind: 'rejected'; readonly status: number; readonly reason: string | null }

/** The provider of outgoing e-mail. `send` throws when a retry may succeed: `RetryLaterError` if the provider responded. */
export interface EmailPort {
  send(email: OutgoingEmail, signal: AbortSignal): Promise<EmailOutcome>
}

/** The receiver of what operators are told. `send` throws unless it accepts a notice. */
export interface NoticePort {
  send(notice: OperatorNotice, signal: AbortSignal): Promise<void>
}

/** The external dependencies of the jobs. */
export interface JobPorts {
  readonly db: DatabasePort
  readonly storage: StoragePort
  /** Null when no analysis service is configured. */
  readonly analysis: AnalysisPort | null
  readonly stems: StemDownloadPort
  /** Decodes what the worker cannot; null when it is not installed. */
  readonly ffmpeg: Ffmpeg | null
  /** Null when no billing provider is configured. */
  readonly billing: ReconciliationPort | null
  /** Null when no link provider is configured. */
  readonly sales: SalesPort | null
  /** Null when no e-mail provider is configured. */
  readonly email: EmailPort | null
  /** Null when no receiver is configured. */
  readonly notices: NoticePort | null
  /** The origin of the web app, which links in e-mails open; null when none is configured. */
  readonly appOrigin: string | null
  /** Retention period of individual engagement events, in days. */
  readonly eventRetentionDays: number
  /** How long a thread of catalogue analysis is kept after its last message, in days. */
  readonly threadRetentionDays: number
  readonly clock: { now(): Date }
  readonly log: LogPort
}
