/** How the connections of a lane are used now. */
export interface LaneUsage {
  /** Connections that are open. */
  readonly open: number
  /** Requests that wait until a connection is open. */
  readonly connecting: number
  /** Requests that wait for a slot. */
  readonly waiting: number
  /** Requests in progress, besides long streams, and how many there may be. */
  readonly used: number
  readonly capacity: number
}
