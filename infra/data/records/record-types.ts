export interface JobRecord {
  readonly type: 'job';
  /** Leave it out if the deployment has no tenant claim. */
  readonly tenant?: string | undefined;
  readonly id: string;
  readonly status: 'published' | 'closed' | 'archived' | 'draft' | 'paused';
  /** Grows by one with each status change. `version` and the members below are the job's history, as exported. */
  readonly version?: number | undefined;
  /** Status before the last change through the API. Absent before the first one, and once an import has replaced the job. */
  readonly previous_status?: 'published' | 'closed' | 'archived' | 'draft' | 'paused' | undefined;
  /** Orders the attempts to change the status. */
  readonly fence?: number | undefined;
  readonly status_changed_at?: string | undefined;
  /** `sub` of the token that last changed the status. */
  readonly status_changed_by?: string | undefined;
  /** Pseudonym of `status_changed_by`, for events. */
  readonly last_change_actor?: string | undefined;
  readonly last_change_id?: string | undefined;
}

export interface ApplicationRecord {
  readonly type: 'application';
  /** Leave it out if the deployment has no tenant claim. */
  readonly tenant?: string | undefined;
  readonly job_id: string;
  readonly user_id: string;
  readonly name: string;
  /** If unknown, an address under `.invalid` (RFC 2606). */
  readonly email: string;
  /** Telephone number in international format. An empty text counts as missing. */
  readonly phone?: string | null | undefined;
  /** Professional-network profile, stored without https:// or http://. An empty text counts as missing. */
  readonly linked_in?: string | null | undefined;
  readonly city?: string | null | undefined;
  readonly region?: string | null | undefined;
  readonly country?: string | null | undefined;
  readonly summary?: string | null | undefined;
  /** Current or last job title. */
  readonly position?: string | null | undefined;
  readonly education?: readonly {
    readonly institution?: string | null | undefined;
    readonly degree?: string | null | undefined;
    readonly field_of_study?: string | null | undefined;
    /** YYYY, YYYY-MM or YYYY-MM-DD, a real date, not in the year 0000. */
    readonly start_date?: string | null | undefined;
    /** YYYY, YYYY-MM or YYYY-MM-DD, a real date, not in the year 0000. */
    readonly end_date?: string | null | undefined;
    /** Whether the course or position is ongoing. */
    readonly current?: boolean | null | undefined;
    readonly location?: string | null | undefined;
    /** The candidate's description of the course or position. */
    readonly description?: string | null | undefined;
    /** Any JSON of your own. */
    readonly [name: string]: unknown;
  }[] | null | undefined;
  readonly experience?: readonly {
    readonly title?: string | null | undefined;
    readonly company?: string | null | undefined;
    /** YYYY, YYYY-MM or YYYY-MM-DD, a real date, not in the year 0000. */
    readonly start_date?: string | null | undefined;
    /** YYYY, YYYY-MM or YYYY-MM-DD, a real date, not in the year 0000. */
    readonly end_date?: string | null | undefined;
    /** Whether the course or position is ongoing. */
    readonly current?: boolean | null | undefined;
    readonly location?: string | null | undefined;
    /** The candidate's description of the course or position. */
    readonly description?: string | null | undefined;
    /** Any JSON of your own. */
    readonly [name: string]: unknown;
  }[] | null | undefined;
  readonly stage_id: string;
  readonly stage_title: string;
  readonly score?: number | null | undefined;
  /** Date and time with its offset from UTC, within the years 1900 to 9999 in UTC. Stored in UTC with milliseconds and a trailing Z. */
  readonly created_at: string;
  /** URL with https:// or http:// that a URL parser accepts, or the S3 URI of a file in filesBucket. It may hold another URL only after /, =, ?, &, # or a colon. An empty text counts as missing. */
  readonly resume_url?: string | null | undefined;
  /** URL with https:// or http:// that a URL parser accepts, or the S3 URI of a file in filesBucket. It may hold another URL only after /, =, ?, &, # or a colon. An empty text counts as missing. */
  readonly video_url?: string | null | undefined;
  readonly evaluations?: readonly {
    readonly id?: string | null | undefined;
    readonly evaluator?: {
      readonly id?: string | null | undefined;
      readonly name?: string | null | undefined;
      /** Any JSON of your own. */
      readonly [name: string]: unknown;
    } | null | undefined;
    /** Identifier of the hiring stage that was evaluated. */
    readonly stage_id?: string | null | undefined;
    /** Title of the hiring stage that was evaluated. */
    readonly stage_title?: string | null | undefined;
    readonly recommendation?: 'strong_yes' | 'yes' | 'no_decision' | 'no' | 'definitely_not' | null | undefined;
    readonly score?: number | null | undefined;
    readonly comment?: string | null | undefined;
    /** Date and time with its offset from UTC, within the years 0001 to 9999 in UTC. Stored in UTC with milliseconds and a trailing Z. */
    readonly submitted_at?: string | null | undefined;
    /** Any JSON of your own. */
    readonly [name: string]: unknown;
  }[] | null | undefined;
  /** When the application expires, in seconds since 1970. From then on, requests for it get 404. */
  readonly expires_at?: number | null | undefined;
  /** When the application changed at its source, in milliseconds since 1970. The greater revision wins. */
  readonly revision?: number | null | undefined;
}

export interface RemovalRecord {
  readonly type: 'removal';
  /** Leave it out if the deployment has no tenant claim. */
  readonly tenant?: string | undefined;
  readonly job_id: string;
  readonly user_id: string;
  readonly revision: number;
  /** When DynamoDB may delete the record, in seconds since 1970, at most 36500 days ahead. */
  readonly expires_at: number;
}

export interface ErasureRecord {
  readonly type: 'erasure';
  /** Leave it out if the deployment has no tenant claim. */
  readonly tenant?: string | undefined;
  readonly user_id: string;
  readonly revision: number;
  /** When DynamoDB may delete the record, in seconds since 1970, at most 36500 days ahead. */
  readonly expires_at: number;
}
