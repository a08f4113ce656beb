import type { NewSaleReport } from '#db/queries/sale-reports.ts'
import type { SubscriptionState } from '#db/queries/subscriptions.ts'
import type { DatabasePort, LogPort, StoragePort } from '#native-routes/ports.ts'

/** A version's audio, offered to the analysis service. */
interface AnalysisRequest {
  readonly dispatchId: string
  readonly audioUrl: string
  readonly contentType: string
  readonly byteSize: number | null
  readonly durationMs: number | null
}

/** The service that listens to audio; what it found comes back by callback. Throws when it does not take the work. */
export interface AnalysisPort {
  dispatch(request: AnalysisRequest): Promise<void>
}

/** Fetches separated stems from the addresses that a callback names, which may be hostile. */
export interface StemDownloadPort {
  /**
   * Writes what `url` returns to a new file at `path`. Throws `StemRejectedError` where another attempt cannot succeed,
   * any other error where it may.
   */
  download(url: string, path: string, signal: AbortSignal): Promise<void>
}

/** What the billing provider says of the accounts' subscriptions. */
export interface ReconciliationPort {
  /** Brings an account to what the provider says; null where it was so already. Throws when the provider fails. */
  reconcile(
    accountId: string,
  ): Promise<{ readonly before: SubscriptionState; readonly after: SubscriptionState } | null>
}

/** The provider that counts sales which came through share links. Throws when it does not take one. */
export interface SalesPort {
  report(sale: NewSaleReport): Promise<void>
}

/** What a job may reach of the world. */
export interface JobPorts {
  readonly db: DatabasePort
  readonly storage: StoragePort
  /** Null where this deployment has no analysis service. */
  readonly analysis: AnalysisPort | null
  readonly stems: StemDownloadPort
  /** Null where nothing can be bought. */
  readonly billing: ReconciliationPort | null
  /** Null where nobody counts sales. */
  readonly sales: SalesPort | null
  /** How many days single engagement events are kept. */
  readonly eventRetentionDays: number
  readonly clock: { now(): Date }
  readonly log: LogPort
}
