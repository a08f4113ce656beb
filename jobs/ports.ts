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

/** What a job may reach of the world. */
export interface JobPorts {
  readonly db: DatabasePort
  readonly storage: StoragePort
  /** Null where this deployment has no analysis service. */
  readonly analysis: AnalysisPort | null
  readonly clock: { now(): Date }
  readonly log: LogPort
}
