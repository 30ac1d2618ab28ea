export interface JobRecord {
  readonly type: 'job';
  /** The tenant. Leave it out if the deployment has no tenant claim. */
  readonly tenant?: string | undefined;
  /** Identifier of the job. */
  readonly id: string;
  /** Status of the job. */
  readonly status: 'published' | 'closed' | 'archived' | 'draft' | 'paused';
  /** The job's version, which each status change increments. This member and the members after it are the job's history, as exported. */
  readonly version?: number | undefined;
  /** The status before the last status change. */
  readonly previous_status?: 'published' | 'closed' | 'archived' | 'draft' | 'paused' | undefined;
  /** A number that orders the attempts to change the job's status. */
  readonly fence?: number | undefined;
  /** The time of the last status change. */
  readonly status_changed_at?: string | undefined;
  /** The subject of the token that made the last status change. */
  readonly status_changed_by?: string | undefined;
  /** The subject of the token that made the last status change, in the form that events contain. */
  readonly last_change_actor?: string | undefined;
  /** Identifier of the last status change. */
  readonly last_change_id?: string | undefined;
}

export interface ApplicationRecord {
  readonly type: 'application';
  /** The tenant. Leave it out if the deployment has no tenant claim. */
  readonly tenant?: string | undefined;
  /** Identifier of the job. */
  readonly job_id: string;
  /** Identifier of the candidate. */
  readonly user_id: string;
  /** Candidate's name. */
  readonly name: string;
  /** Candidate's e-mail address. If the address is unknown, give an address under `.invalid` (RFC 2606). */
  readonly email: string;
  /** Telephone number in international format. An empty text counts as missing. */
  readonly phone?: string | null | undefined;
  /** Professional-network profile. It is stored without https:// or http://. An empty text counts as missing. */
  readonly linked_in?: string | null | undefined;
  /** City. */
  readonly city?: string | null | undefined;
  /** State or region. */
  readonly region?: string | null | undefined;
  /** Country. */
  readonly country?: string | null | undefined;
  /** Professional summary. */
  readonly summary?: string | null | undefined;
  /** Current or last job title. */
  readonly position?: string | null | undefined;
  /** Educational history. */
  readonly education?: readonly {
    /** School or university. */
    readonly institution?: string | null | undefined;
    /** Degree. */
    readonly degree?: string | null | undefined;
    /** Field of study. */
    readonly field_of_study?: string | null | undefined;
    /** YYYY, YYYY-MM or YYYY-MM-DD, of a day that exists. */
    readonly start_date?: string | null | undefined;
    /** YYYY, YYYY-MM or YYYY-MM-DD, of a day that exists. */
    readonly end_date?: string | null | undefined;
    /** Whether the course or position is ongoing. */
    readonly current?: boolean | null | undefined;
    /** Location. */
    readonly location?: string | null | undefined;
    /** The candidate's description of the course or position. */
    readonly description?: string | null | undefined;
  }[] | null | undefined;
  /** Professional experience. */
  readonly experience?: readonly {
    /** Job title. */
    readonly title?: string | null | undefined;
    /** Employer. */
    readonly company?: string | null | undefined;
    /** YYYY, YYYY-MM or YYYY-MM-DD, of a day that exists. */
    readonly start_date?: string | null | undefined;
    /** YYYY, YYYY-MM or YYYY-MM-DD, of a day that exists. */
    readonly end_date?: string | null | undefined;
    /** Whether the course or position is ongoing. */
    readonly current?: boolean | null | undefined;
    /** Location. */
    readonly location?: string | null | undefined;
    /** The candidate's description of the course or position. */
    readonly description?: string | null | undefined;
  }[] | null | undefined;
  /** Identifier of the current hiring stage. */
  readonly stage_id: string;
  /** Title of the current hiring stage. */
  readonly stage_title: string;
  /** Candidate's score. */
  readonly score?: number | null | undefined;
  /** A date and time with its offset from UTC, within the years 0001 to 9999 in UTC. It is stored in UTC with milliseconds and a trailing Z. */
  readonly created_at: string;
  /** An https:// or http:// URL that a URL parser accepts, or the S3 URI of a file in filesBucket. It may hold another URL only after /, =, ?, &, # or a colon. An empty text counts as missing. */
  readonly resume_url?: string | null | undefined;
  /** An https:// or http:// URL that a URL parser accepts, or the S3 URI of a file in filesBucket. It may hold another URL only after /, =, ?, &, # or a colon. An empty text counts as missing. */
  readonly video_url?: string | null | undefined;
  /** Evaluations. */
  readonly evaluations?: readonly {
    /** Identifier of the evaluation. */
    readonly id: string;
    readonly evaluator: {
      /** Identifier of the evaluator. */
      readonly id: string;
      /** Name of the evaluator. */
      readonly name?: string | null | undefined;
    };
    /** Identifier of the hiring stage that was evaluated. */
    readonly stage_id?: string | null | undefined;
    /** Title of the hiring stage that was evaluated. */
    readonly stage_title?: string | null | undefined;
    /** The evaluator's recommendation. */
    readonly recommendation?: 'strong_yes' | 'yes' | 'no_decision' | 'no' | 'definitely_not' | null | undefined;
    /** The evaluator's score. */
    readonly score?: number | null | undefined;
    /** The evaluator's comment. */
    readonly comment?: string | null | undefined;
    /** A date and time with its offset from UTC, within the years 0001 to 9999 in UTC. It is stored in UTC with milliseconds and a trailing Z. */
    readonly submitted_at?: string | null | undefined;
  }[] | null | undefined;
  /** The time at which the application expires, in seconds since 1970. Requests for an expired application get 404. */
  readonly expires_at?: number | null | undefined;
  /** The time at which the application changed at its source, in milliseconds since 1970. Of two writes, the write with the greater revision stays. */
  readonly revision?: number | undefined;
}

export interface RemovalRecord {
  readonly type: 'removal';
  /** The tenant. Leave it out if the deployment has no tenant claim. */
  readonly tenant?: string | undefined;
  /** Identifier of the job. */
  readonly job_id: string;
  /** Identifier of the candidate. */
  readonly user_id: string;
  readonly revision: number;
  /** The time at which the record expires, in seconds since 1970, at most 36500 days ahead. */
  readonly expires_at: number;
}

export interface ErasureRecord {
  readonly type: 'erasure';
  /** The tenant. Leave it out if the deployment has no tenant claim. */
  readonly tenant?: string | undefined;
  /** Identifier of the candidate. */
  readonly user_id: string;
  readonly revision: number;
  /** The time at which the record expires, in seconds since 1970, at most 36500 days ahead. */
  readonly expires_at: number;
}
