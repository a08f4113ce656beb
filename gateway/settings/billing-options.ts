import { freePlanOnly } from './plans.ts'
import type { Settings } from './settings.ts'

export type BillingSettings = Pick<Settings, 'BILLING_PLANS' | 'BILLING_SECRET_KEY' | 'BILLING_API_BASE'>

/** Reads the options of the billing provider from the settings. */
export const readBillingOptions = (settings: BillingSettings) => ({
  secretKey: settings.BILLING_SECRET_KEY,
  apiBase: settings.BILLING_API_BASE,
  plans: settings.BILLING_PLANS ?? freePlanOnly,
})
