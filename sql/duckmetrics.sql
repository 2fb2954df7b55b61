-- duckmetrics 0.1.0: evaluation metrics for the DuckDB shell, written by 'duckmetrics macros'.
-- Load it with: duckdb -init duckmetrics.sql, or .read duckmetrics.sql; then FROM duckmetrics_help();
-- Do not edit: the definitions are the files beside it, one for every metric.
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_asked_metrics(metrics) AS (
LIST_TRANSFORM(CASE WHEN COALESCE(TRIM(CAST(metrics AS TEXT)), '') IN ('', '[]') THEN [ERROR('duckmetrics: no metric; name at least one, such as ndcg@10')] ELSE COALESCE(TRY_CAST(CAST(metrics AS TEXT) AS TEXT[]), STR_SPLIT(CAST(metrics AS TEXT), ',')) END, LAMBDA _metric : TRIM(_metric))
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_asks_for(metrics, names) AS (
REGEXP_MATCHES(LOWER(REPLACE(CAST(metrics AS TEXT), '-', '_')), '\b(' || names || ')\b')
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_bad_plan(plan) AS (
'plan cannot be ''' || COALESCE(CAST(plan AS TEXT), 'NULL') || '''; choose sorted or grouped'
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_deepest(cutoffs) AS (
CASE WHEN LENGTH(cutoffs) = LIST_COUNT(cutoffs) THEN LIST_MAX(cutoffs) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_identifier(id, name) AS (
CASE WHEN NOT REGEXP_FULL_MATCH(TYPEOF(id), '"NULL"|U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL\(\d+,0\)|VARCHAR|UUID|DATE|BOOLEAN|TIMESTAMP.*') THEN ERROR('duckmetrics: column ''' || name || ''' is ' || TYPEOF(id) || ', not an id; cast it to BIGINT or VARCHAR') ELSE id END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_kind(type) AS (
CASE WHEN REGEXP_FULL_MATCH(type, 'U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL.*') THEN 'whole number' WHEN REGEXP_FULL_MATCH(type, 'TIMESTAMP(_S|_MS|_NS)?') THEN 'TIMESTAMP' ELSE type END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_listed(given) AS (
COALESCE(TRY_CAST(CAST(given AS TEXT) AS TEXT[]), [CAST(given AS TEXT)])
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_metric_cutoff(metric) AS (
NULLIF(REGEXP_EXTRACT(metric, '@\s*([^\s@()]+)$', 1), '')
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_metric_name(metric) AS (
LOWER(REPLACE(REGEXP_EXTRACT(metric, '^(?:(?:ranking|classification)\s*\.\s*)?([A-Za-z_][\w-]*)\s*(?:@\s*[^\s@()]+)?$', 1), '-', '_'))
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_named(names) AS (
'[' || ARRAY_TO_STRING(LIST_TRANSFORM(names, LAMBDA _name : '''' || REPLACE(REGEXP_REPLACE(_name, '^(file|table):', ''), '''', '''''') || ''''), ', ') || ']'
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_no_data() AS (
'data: no rows; check how they were exported'
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_no_order(ties, "position") AS (
'ties := ''input'' needs the order of the rows; name the column that holds it with "position" := ...'
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_number(value, name) AS (
CASE WHEN NOT REGEXP_FULL_MATCH(TYPEOF(value), '"NULL"|U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL.*|FLOAT|DOUBLE') THEN ERROR('duckmetrics: ' || name || ' is ' || TYPEOF(value) || ', not a number; cast it to DOUBLE') ELSE CAST(value AS DOUBLE) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_one_of(name) AS (
'(?i)^(_duckmetrics_none|' || REGEXP_ESCAPE(name) || ')$'
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_population_word(population) AS (
CASE WHEN LOWER(CAST(population AS TEXT)) IN ('truth', 'predictions', 'both') THEN LOWER(CAST(population AS TEXT)) ELSE 'table' END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_cutoffs(k) AS (
LIST_TRANSFORM(DUCKMETRICS_FN_LISTED(k), LAMBDA _cutoff : CASE WHEN _cutoff IS NULL THEN NULL WHEN REGEXP_FULL_MATCH(_cutoff, '\d+') THEN COALESCE(TRY_CAST(_cutoff AS INT), 0) ELSE 0 END)
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_grade(value, name) AS (
CASE WHEN TYPEOF(value) = 'BOOLEAN' THEN CAST(value AS DOUBLE) ELSE DUCKMETRICS_FN_NUMBER(value, name) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_one_metric(metric, k) AS (
LIST_TRANSFORM(DUCKMETRICS_FN_LISTED(k), LAMBDA _cutoff : metric || COALESCE('@' || _cutoff, ''))
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_source(source, trec) AS (
LIST_EXTRACT(LIST_TRANSFORM([{'name': CAST(source AS TEXT), 'files': DUCKMETRICS_FN_LISTED(source)}], LAMBDA _given : CASE WHEN REGEXP_MATCHES(_given['name'], '(?is)^(sql:|(\s|--[^\n]*\n|/\*.*?\*/)*' || '(\(|(select|from|with)[\s"''*(]|(values|pivot|unpivot|describe)\s))') THEN REGEXP_REPLACE(_given['name'], '^sql:', '') WHEN STARTS_WITH(_given['name'], 'table:') THEN 'FROM query_table(' || DUCKMETRICS_FN_NAMED(_given['files']) || ')' WHEN REGEXP_MATCHES(_given['files'][1], '\.(parquet|pq)$', 'i') THEN 'FROM read_parquet(' || DUCKMETRICS_FN_NAMED(_given['files']) || ', union_by_name = true)' WHEN REGEXP_MATCHES(_given['files'][1], '\.(csv|tsv)(\.(gz|zst))?$', 'i') THEN 'FROM read_csv(' || DUCKMETRICS_FN_NAMED(_given['files']) || ', union_by_name = true)' WHEN REGEXP_MATCHES(_given['files'][1], '\.(json|jsonl|ndjson)(\.(gz|zst))?$', 'i') THEN 'FROM read_json(' || DUCKMETRICS_FN_NAMED(_given['files']) || ', union_by_name = true)' WHEN REGEXP_MATCHES(_given['files'][1], '\.(run|trec|qrels?|txt)(\.(gz|zst))?$', 'i') THEN REPLACE(trec, '{files}', DUCKMETRICS_FN_NAMED(_given['files'])) WHEN REGEXP_MATCHES(_given['files'][1], '^file:|[/\\*?]') THEN 'FROM ''' || REPLACE(REGEXP_REPLACE(_given['files'][1], '^file:', ''), '''', '''''') || '''' ELSE 'FROM query_table(' || DUCKMETRICS_FN_NAMED(_given['files']) || ')' END), 1)
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_all_cutoffs(metrics) AS (
LIST_TRANSFORM(DUCKMETRICS_FN_ASKED_METRICS(metrics), LAMBDA _metric : LIST_EXTRACT(DUCKMETRICS_FN_CUTOFFS(DUCKMETRICS_FN_METRIC_CUTOFF(_metric)), 1))
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_beta_fraction(a, b, x, y) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_deviance(observed, expected) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_log1p(x) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_stirling_series(x) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_stirling_error(x) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_beta_weight(a, b, x, y) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_incomplete_beta_xy(a, b, x, y) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_binomial_cdf(k, n, p) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_gamma_weight(a, x) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_incomplete_gamma_q(a, x) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_chi_square_sf(x, df) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_erf_near_zero(x) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_exp_minus_square(x) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_scaled_erfc(x) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_erfc(x) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_erf(x) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_f_sf(f, df1, df2) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_incomplete_beta(a, b, x) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_kolmogorov_sf(x) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_log_beta(a, b) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_normal_cdf(z) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_normal_p(z) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_normal_quantile(p) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_normal_sf(z) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_student_t_expansion(z, df) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_student_t_log_x(alpha, df) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_student_t_weight(df, s) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_student_t_p(t, df) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_student_t_critical(alpha, df) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_student_t_quantile(p, df) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_student_t_sf(t, df) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_problem_1(label, score) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_problem_2(label, score) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_problem_3(label, score) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_problem_4(rel, rank) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_problem_5(rel, score) AS (NULL);
CREATE OR REPLACE TEMP MACRO duckmetrics_query_values(predictions, truth, metrics, norm := NULL, duplicates := 'error', missing := NULL, negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', gain := 'linear', discount := 'log2', max_grade := 4.0e0, beta := NULL, ideal := 'judged', recall := NULL, rounding := 'up', p := 0.8e0, agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE SELECT NULL AS _segment, NULL AS _metric, NULL AS _agg, NULL AS _query_id, NULL AS _value, NULL AS _missing, NULL AS _no_relevant, NULL AS _undefined;
CREATE OR REPLACE TEMP MACRO duckmetrics_segment_values(data, label, score, metrics, group_id := NULL, per := NULL, weight := NULL, plan := 'sorted', threshold := 0.5e0, bins := 10, binning := 'width', approx := NULL, interpolation := 'step', base_rate := NULL, eps := 1e-15, beta := NULL, average := 'impressions', top := NULL, max_fpr := NULL, norm := 'mcclish', recall := NULL, "precision" := NULL, fpr := NULL) AS TABLE SELECT NULL AS _segment, NULL AS _metric, NULL AS _value, NULL AS _lower, NULL AS _upper, NULL AS _n_undefined, NULL AS _n, NULL AS _n_positive, NULL AS _reason;
CREATE OR REPLACE TEMP MACRO binomial_cdf(k, n, p) AS (
DUCKMETRICS_FN_BINOMIAL_CDF(CAST(k AS DOUBLE), CAST(n AS DOUBLE), CAST(p AS DOUBLE))
);
CREATE OR REPLACE TEMP MACRO chi_square_sf(x, df) AS (
DUCKMETRICS_FN_CHI_SQUARE_SF(CAST(x AS DOUBLE), CAST(df AS DOUBLE))
);
CREATE OR REPLACE TEMP MACRO chi_square_p(x, df) AS (
DUCKMETRICS_FN_CHI_SQUARE_SF(CAST(x AS DOUBLE), CAST(df AS DOUBLE))
);
CREATE OR REPLACE TEMP MACRO erf(x) AS (
DUCKMETRICS_FN_ERF(CAST(x AS DOUBLE))
);
CREATE OR REPLACE TEMP MACRO erfc(x) AS (
DUCKMETRICS_FN_ERFC(CAST(x AS DOUBLE))
);
CREATE OR REPLACE TEMP MACRO f_sf(f, df1, df2) AS (
DUCKMETRICS_FN_F_SF(CAST(f AS DOUBLE), CAST(df1 AS DOUBLE), CAST(df2 AS DOUBLE))
);
CREATE OR REPLACE TEMP MACRO incomplete_beta(a, b, x) AS (
DUCKMETRICS_FN_INCOMPLETE_BETA(CAST(a AS DOUBLE), CAST(b AS DOUBLE), CAST(x AS DOUBLE))
);
CREATE OR REPLACE TEMP MACRO incomplete_gamma_q(a, x) AS (
DUCKMETRICS_FN_INCOMPLETE_GAMMA_Q(CAST(a AS DOUBLE), CAST(x AS DOUBLE))
);
CREATE OR REPLACE TEMP MACRO kolmogorov_sf(x) AS (
DUCKMETRICS_FN_KOLMOGOROV_SF(CAST(x AS DOUBLE))
);
CREATE OR REPLACE TEMP MACRO normal_cdf(z) AS (
DUCKMETRICS_FN_NORMAL_CDF(CAST(z AS DOUBLE))
);
CREATE OR REPLACE TEMP MACRO normal_p(z) AS (
DUCKMETRICS_FN_NORMAL_P(CAST(z AS DOUBLE))
);
CREATE OR REPLACE TEMP MACRO normal_quantile(p) AS (
DUCKMETRICS_FN_NORMAL_QUANTILE(CAST(p AS DOUBLE))
);
CREATE OR REPLACE TEMP MACRO normal_sf(z) AS (
DUCKMETRICS_FN_NORMAL_SF(CAST(z AS DOUBLE))
);
CREATE OR REPLACE TEMP MACRO student_t_critical(alpha, df) AS (
DUCKMETRICS_FN_STUDENT_T_CRITICAL(CAST(alpha AS DOUBLE), CAST(df AS DOUBLE))
);
CREATE OR REPLACE TEMP MACRO student_t_p(t, df) AS (
DUCKMETRICS_FN_STUDENT_T_P(CAST(t AS DOUBLE), CAST(df AS DOUBLE))
);
CREATE OR REPLACE TEMP MACRO student_t_quantile(p, df) AS (
DUCKMETRICS_FN_STUDENT_T_QUANTILE(CAST(p AS DOUBLE), CAST(df AS DOUBLE))
);
CREATE OR REPLACE TEMP MACRO student_t_sf(t, df) AS (
DUCKMETRICS_FN_STUDENT_T_SF(CAST(t AS DOUBLE), CAST(df AS DOUBLE))
);
CREATE OR REPLACE TEMP MACRO read_trec_run(path) AS TABLE (
SELECT LIST_EXTRACT(fields, 1) AS query_id, LIST_EXTRACT(fields, 3) AS item_id, CAST(LIST_EXTRACT(fields, 5) AS DOUBLE) AS score FROM (SELECT STR_SPLIT_REGEX(TRIM(line, e' \t\r'), '\s+') AS fields FROM READ_CSV(path, "columns" = {'line': 'VARCHAR'}, auto_detect = FALSE, header = FALSE, delim = e'\x01', quote = '', escape = '') WHERE TRIM(line, e' \t\r') <> '') AS lines
);
CREATE OR REPLACE TEMP MACRO read_trec_qrels(path) AS TABLE (
SELECT LIST_EXTRACT(fields, 1) AS query_id, LIST_EXTRACT(fields, 3) AS item_id, CAST(LIST_EXTRACT(fields, 4) AS DOUBLE) AS relevance FROM (SELECT STR_SPLIT_REGEX(TRIM(line, e' \t\r'), '\s+') AS fields FROM READ_CSV(path, "columns" = {'line': 'VARCHAR'}, auto_detect = FALSE, header = FALSE, delim = e'\x01', quote = '', escape = '') WHERE TRIM(line, e' \t\r') <> '') AS lines
);
CREATE OR REPLACE TEMP MACRO accuracy(label, score, threshold := 0.5e0, where_ := TRUE) AS (
CASE WHEN NOT COALESCE(TRUE AND ISFINITE(TRY_CAST(threshold AS DOUBLE)), FALSE) THEN ERROR('duckmetrics: ' || 'threshold cannot be ''' || COALESCE(CAST(threshold AS TEXT), 'NULL') || ''' for what is asked; it must be a number') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE ((SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_)) / NULLIF(SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_), 0)) END
);
CREATE OR REPLACE TEMP MACRO auc(label, score, where_ := TRUE) AS (
CASE WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE 1 - (LIST_SUM(LIST_TRANSFORM(LIST_SORT(ARRAY_AGG({'score': -DUCKMETRICS_FN_NUMBER(score, 'score'), 'last': 1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END}) FILTER(WHERE where_), 'ASC', 'NULLS FIRST'), LAMBDA _entry, _place : (1 - _entry['last']) * _place)) + LIST_SUM(LIST_TRANSFORM(LIST_SORT(ARRAY_AGG({'score': -DUCKMETRICS_FN_NUMBER(score, 'score'), 'last': CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END}) FILTER(WHERE where_), 'ASC', 'NULLS FIRST'), LAMBDA _entry, _place : _entry['last'] * _place)) - SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_) * (SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_) + 1)) / 2e0 / NULLIF(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_) * (COUNT(*) FILTER(WHERE where_) - SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_)), 0) END
);
CREATE OR REPLACE TEMP MACRO average_precision(label, score, where_ := TRUE) AS (
CASE WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE LIST_EXTRACT(LIST_TRANSFORM([LIST_FILTER(LIST_TRANSFORM(LIST_SORT(ARRAY_AGG({'score': -DUCKMETRICS_FN_NUMBER(score, 'score'), 'label': CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END}) FILTER(WHERE where_), 'ASC', 'NULLS FIRST'), LAMBDA _entry, _place : {'score': _entry['score'], 'label': _entry['label'], 'place': CAST(_place AS DOUBLE)}), LAMBDA _entry : _entry['label'] = 1)], LAMBDA _hits : LIST_EXTRACT(LIST_TRANSFORM([LIST_FILTER(LIST_TRANSFORM(_hits, LAMBDA _hit, _found : {'found': CAST(_found AS DOUBLE), 'place': _hit['place'], 'ends': COALESCE(_hits[_found + 1]['score'] <> _hit['score'], TRUE)}), LAMBDA _hit : _hit['ends'])], LAMBDA _steps : LIST_SUM(LIST_TRANSFORM(_steps, LAMBDA _step, _i : (_step['found'] - COALESCE(_steps[_i - 1]['found'], 0)) * _step['found'] / _step['place']))), 1) / NULLIF(LENGTH(_hits), 0)), 1) END
);
CREATE OR REPLACE TEMP MACRO average_precision_score(label, score, where_ := TRUE) AS (
AVERAGE_PRECISION(label, score, where_)
);
CREATE OR REPLACE TEMP MACRO balanced_accuracy(label, score, threshold := 0.5e0, where_ := TRUE) AS (
CASE WHEN NOT COALESCE(TRUE AND ISFINITE(TRY_CAST(threshold AS DOUBLE)), FALSE) THEN ERROR('duckmetrics: ' || 'threshold cannot be ''' || COALESCE(CAST(threshold AS TEXT), 'NULL') || ''' for what is asked; it must be a number') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE ((SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) / NULLIF(SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_), 0) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_) / NULLIF(SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_), 0)) / 2) END
);
CREATE OR REPLACE TEMP MACRO base_entropy(label, score, base_rate := NULL, where_ := TRUE) AS (
CASE WHEN NOT (base_rate IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(base_rate AS DOUBLE)) AND (TRY_CAST(base_rate AS DOUBLE) > 0) AND (TRY_CAST(base_rate AS DOUBLE) < 1), FALSE)) THEN ERROR('duckmetrics: ' || 'base_rate cannot be ''' || COALESCE(CAST(base_rate AS TEXT), 'NULL') || ''' for what is asked; it must be a number and base_rate > 0 and base_rate < 1') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE CASE WHEN CASE WHEN NOT TRY_CAST(base_rate AS DOUBLE) IS NULL THEN LEAST(TRY_CAST(base_rate AS DOUBLE), 1 - TRY_CAST(base_rate AS DOUBLE)) ELSE LEAST(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_), SUM((1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END)) FILTER(WHERE where_)) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0) END > 0 THEN -CASE WHEN NOT TRY_CAST(base_rate AS DOUBLE) IS NULL THEN LEAST(TRY_CAST(base_rate AS DOUBLE), 1 - TRY_CAST(base_rate AS DOUBLE)) ELSE LEAST(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_), SUM((1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END)) FILTER(WHERE where_)) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0) END * LN(CASE WHEN NOT TRY_CAST(base_rate AS DOUBLE) IS NULL THEN LEAST(TRY_CAST(base_rate AS DOUBLE), 1 - TRY_CAST(base_rate AS DOUBLE)) ELSE LEAST(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_), SUM((1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END)) FILTER(WHERE where_)) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0) END) - (1 - CASE WHEN NOT TRY_CAST(base_rate AS DOUBLE) IS NULL THEN LEAST(TRY_CAST(base_rate AS DOUBLE), 1 - TRY_CAST(base_rate AS DOUBLE)) ELSE LEAST(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_), SUM((1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END)) FILTER(WHERE where_)) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0) END) * DUCKMETRICS_FN_LOG1P(CAST(-CASE WHEN NOT TRY_CAST(base_rate AS DOUBLE) IS NULL THEN LEAST(TRY_CAST(base_rate AS DOUBLE), 1 - TRY_CAST(base_rate AS DOUBLE)) ELSE LEAST(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_), SUM((1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END)) FILTER(WHERE where_)) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0) END AS DOUBLE)) END END
);
CREATE OR REPLACE TEMP MACRO base_rate(label, score, where_ := TRUE) AS (
CASE WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE (SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0)) END
);
CREATE OR REPLACE TEMP MACRO brier(label, score, where_ := TRUE) AS (
CASE WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_)) ELSE (SUM((DUCKMETRICS_FN_NUMBER(score, 'score') - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) * (DUCKMETRICS_FN_NUMBER(score, 'score') - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END)) FILTER(WHERE where_) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0)) END
);
CREATE OR REPLACE TEMP MACRO brier_skill(label, score, base_rate := NULL, where_ := TRUE) AS (
CASE WHEN NOT (base_rate IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(base_rate AS DOUBLE)) AND (TRY_CAST(base_rate AS DOUBLE) > 0) AND (TRY_CAST(base_rate AS DOUBLE) < 1), FALSE)) THEN ERROR('duckmetrics: ' || 'base_rate cannot be ''' || COALESCE(CAST(base_rate AS TEXT), 'NULL') || ''' for what is asked; it must be a number and base_rate > 0 and base_rate < 1') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_)) ELSE 1 - ((SUM((DUCKMETRICS_FN_NUMBER(score, 'score') - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) * (DUCKMETRICS_FN_NUMBER(score, 'score') - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END)) FILTER(WHERE where_) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0))) / NULLIF(((SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0))) * (1 - ((SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0)))) + (COALESCE(TRY_CAST(base_rate AS DOUBLE), ((SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0)))) - ((SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0)))) * (COALESCE(TRY_CAST(base_rate AS DOUBLE), ((SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0)))) - ((SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0)))), 0) END
);
CREATE OR REPLACE TEMP MACRO calibration_ratio(label, score, where_ := TRUE) AS (
CASE WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_)) ELSE (SUM(DUCKMETRICS_FN_NUMBER(score, 'score')) FILTER(WHERE where_) / NULLIF(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_), 0)) END
);
CREATE OR REPLACE TEMP MACRO cohen_kappa(label, score, threshold := 0.5e0, where_ := TRUE) AS (
CASE WHEN NOT COALESCE(TRUE AND ISFINITE(TRY_CAST(threshold AS DOUBLE)), FALSE) THEN ERROR('duckmetrics: ' || 'threshold cannot be ''' || COALESCE(CAST(threshold AS TEXT), 'NULL') || ''' for what is asked; it must be a number') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE ((((SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_)) / NULLIF(SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_), 0)) - (((SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_)) * (SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_)) + (SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_)) * (SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_))) / NULLIF((SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_)) * (SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_)), 0))) / NULLIF(1 - (((SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_)) * (SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_)) + (SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_)) * (SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_))) / NULLIF((SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_)) * (SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_)), 0)), 0)) END
);
CREATE OR REPLACE TEMP MACRO copc(label, score, where_ := TRUE) AS (
CASE WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_)) ELSE (SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_) / NULLIF(SUM(DUCKMETRICS_FN_NUMBER(score, 'score')) FILTER(WHERE where_), 0)) END
);
CREATE OR REPLACE TEMP MACRO ece(label, score, bins := 10, where_ := TRUE) AS (
CASE WHEN NOT COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 0), FALSE) THEN ERROR('duckmetrics: ' || 'bins cannot be ''' || COALESCE(CAST(bins AS TEXT), 'NULL') || ''' for what is asked; it must be a whole number and bins > 0') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_)) ELSE LIST_EXTRACT(LIST_TRANSFORM([ARRAY_AGG({'bin': LEAST(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= (FLOOR(DUCKMETRICS_FN_NUMBER(score, 'score') * TRY_CAST(bins AS INT)) + 1) / TRY_CAST(bins AS INT) THEN FLOOR(DUCKMETRICS_FN_NUMBER(score, 'score') * TRY_CAST(bins AS INT)) + 1 WHEN DUCKMETRICS_FN_NUMBER(score, 'score') < FLOOR(DUCKMETRICS_FN_NUMBER(score, 'score') * TRY_CAST(bins AS INT)) / TRY_CAST(bins AS INT) THEN FLOOR(DUCKMETRICS_FN_NUMBER(score, 'score') * TRY_CAST(bins AS INT)) - 1 ELSE FLOOR(DUCKMETRICS_FN_NUMBER(score, 'score') * TRY_CAST(bins AS INT)) END, TRY_CAST(bins AS INT) - 1), 'excess': DUCKMETRICS_FN_NUMBER(score, 'score') - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END}) FILTER(WHERE where_)], LAMBDA _given : LIST_SUM(LIST_TRANSFORM(RANGE(0, TRY_CAST(bins AS INT)), LAMBDA _b : ABS(LIST_SUM(LIST_TRANSFORM(LIST_FILTER(_given, LAMBDA _entry : _entry['bin'] = _b), LAMBDA _entry : _entry['excess'])))))), 1) / NULLIF(COUNT(*) FILTER(WHERE where_), 0) END
);
CREATE OR REPLACE TEMP MACRO f_beta(label, score, beta, threshold := 0.5e0, where_ := TRUE) AS (
CASE WHEN NOT COALESCE(TRUE AND ISFINITE(TRY_CAST(beta AS DOUBLE)) AND (TRY_CAST(beta AS DOUBLE) > 0), FALSE) THEN ERROR('duckmetrics: ' || 'beta cannot be ''' || COALESCE(CAST(beta AS TEXT), 'NULL') || ''' for what is asked; it must be a number and beta > 0') WHEN NOT COALESCE(TRUE AND ISFINITE(TRY_CAST(threshold AS DOUBLE)), FALSE) THEN ERROR('duckmetrics: ' || 'threshold cannot be ''' || COALESCE(CAST(threshold AS TEXT), 'NULL') || ''' for what is asked; it must be a number') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE ((1 + TRY_CAST(beta AS DOUBLE) * TRY_CAST(beta AS DOUBLE)) * SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) / NULLIF((1 + TRY_CAST(beta AS DOUBLE) * TRY_CAST(beta AS DOUBLE)) * SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + TRY_CAST(beta AS DOUBLE) * TRY_CAST(beta AS DOUBLE) * SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_), 0)) END
);
CREATE OR REPLACE TEMP MACRO f_beta_score(label, score, beta, threshold := 0.5e0, where_ := TRUE) AS (
F_BETA(label, score, beta, threshold, where_)
);
CREATE OR REPLACE TEMP MACRO fnr(label, score, threshold := 0.5e0, where_ := TRUE) AS (
CASE WHEN NOT COALESCE(TRUE AND ISFINITE(TRY_CAST(threshold AS DOUBLE)), FALSE) THEN ERROR('duckmetrics: ' || 'threshold cannot be ''' || COALESCE(CAST(threshold AS TEXT), 'NULL') || ''' for what is asked; it must be a number') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE (SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_) / NULLIF(SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_), 0)) END
);
CREATE OR REPLACE TEMP MACRO fpr(label, score, threshold := 0.5e0, where_ := TRUE) AS (
CASE WHEN NOT COALESCE(TRUE AND ISFINITE(TRY_CAST(threshold AS DOUBLE)), FALSE) THEN ERROR('duckmetrics: ' || 'threshold cannot be ''' || COALESCE(CAST(threshold AS TEXT), 'NULL') || ''' for what is asked; it must be a number') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE (SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_) / NULLIF(SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_), 0)) END
);
CREATE OR REPLACE TEMP MACRO gini(label, score, where_ := TRUE) AS (
CASE WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE 2 * (1 - (LIST_SUM(LIST_TRANSFORM(LIST_SORT(ARRAY_AGG({'score': -DUCKMETRICS_FN_NUMBER(score, 'score'), 'last': 1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END}) FILTER(WHERE where_), 'ASC', 'NULLS FIRST'), LAMBDA _entry, _place : (1 - _entry['last']) * _place)) + LIST_SUM(LIST_TRANSFORM(LIST_SORT(ARRAY_AGG({'score': -DUCKMETRICS_FN_NUMBER(score, 'score'), 'last': CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END}) FILTER(WHERE where_), 'ASC', 'NULLS FIRST'), LAMBDA _entry, _place : _entry['last'] * _place)) - SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_) * (SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_) + 1)) / 2e0 / NULLIF(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_) * (COUNT(*) FILTER(WHERE where_) - SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_)), 0)) - 1 END
);
CREATE OR REPLACE TEMP MACRO log_loss(label, score, eps := 1e-15, where_ := TRUE) AS (
CASE WHEN NOT COALESCE(TRUE AND ISFINITE(TRY_CAST(eps AS DOUBLE)) AND (TRY_CAST(eps AS DOUBLE) >= 0) AND (TRY_CAST(eps AS DOUBLE) < 0.5), FALSE) THEN ERROR('duckmetrics: ' || 'eps cannot be ''' || COALESCE(CAST(eps AS TEXT), 'NULL') || ''' for what is asked; it must be a number and eps >= 0 and eps < 0.5') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_)) ELSE (-SUM(CASE WHEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END = 1 AND GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE)) > 0 THEN LN(GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE))) WHEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END = 0 AND GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE)) < 1 THEN LN(1 - GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE))) + ((1 - (1 - GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE)))) - GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE))) / (1 - GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE))) /* the rounding of 1 - p, put right */ ELSE CAST('-Infinity' AS DOUBLE) END) FILTER(WHERE where_) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0)) END
);
CREATE OR REPLACE TEMP MACRO mae(label, score, where_ := TRUE) AS (
CASE WHEN NOT MIN(DUCKMETRICS_PROBLEM_3(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_3(label, score)) FILTER(WHERE where_)) ELSE (SUM(ABS(DUCKMETRICS_FN_NUMBER(score, 'score') - DUCKMETRICS_FN_GRADE(label, 'label'))) FILTER(WHERE where_) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0)) END
);
CREATE OR REPLACE TEMP MACRO mcc(label, score, threshold := 0.5e0, where_ := TRUE) AS (
CASE WHEN NOT COALESCE(TRUE AND ISFINITE(TRY_CAST(threshold AS DOUBLE)), FALSE) THEN ERROR('duckmetrics: ' || 'threshold cannot be ''' || COALESCE(CAST(threshold AS TEXT), 'NULL') || ''' for what is asked; it must be a number') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE ((SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) * SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_) - SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_) * SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_)) / NULLIF(SQRT(SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_)) * SQRT(SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_)) * SQRT(SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_)) * SQRT(SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_)), 0)) END
);
CREATE OR REPLACE TEMP MACRO normalized_entropy(label, score, eps := 1e-15, base_rate := NULL, where_ := TRUE) AS (
CASE WHEN NOT COALESCE(TRUE AND ISFINITE(TRY_CAST(eps AS DOUBLE)) AND (TRY_CAST(eps AS DOUBLE) >= 0) AND (TRY_CAST(eps AS DOUBLE) < 0.5), FALSE) THEN ERROR('duckmetrics: ' || 'eps cannot be ''' || COALESCE(CAST(eps AS TEXT), 'NULL') || ''' for what is asked; it must be a number and eps >= 0 and eps < 0.5') WHEN NOT (base_rate IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(base_rate AS DOUBLE)) AND (TRY_CAST(base_rate AS DOUBLE) > 0) AND (TRY_CAST(base_rate AS DOUBLE) < 1), FALSE)) THEN ERROR('duckmetrics: ' || 'base_rate cannot be ''' || COALESCE(CAST(base_rate AS TEXT), 'NULL') || ''' for what is asked; it must be a number and base_rate > 0 and base_rate < 1') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_)) ELSE ((-SUM(CASE WHEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END = 1 AND GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE)) > 0 THEN LN(GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE))) WHEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END = 0 AND GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE)) < 1 THEN LN(1 - GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE))) + ((1 - (1 - GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE)))) - GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE))) / (1 - GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE))) /* the rounding of 1 - p, put right */ ELSE CAST('-Infinity' AS DOUBLE) END) FILTER(WHERE where_) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0))) / NULLIF((CASE WHEN CASE WHEN NOT TRY_CAST(base_rate AS DOUBLE) IS NULL THEN LEAST(TRY_CAST(base_rate AS DOUBLE), 1 - TRY_CAST(base_rate AS DOUBLE)) ELSE LEAST(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_), SUM((1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END)) FILTER(WHERE where_)) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0) END > 0 THEN -CASE WHEN NOT TRY_CAST(base_rate AS DOUBLE) IS NULL THEN LEAST(TRY_CAST(base_rate AS DOUBLE), 1 - TRY_CAST(base_rate AS DOUBLE)) ELSE LEAST(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_), SUM((1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END)) FILTER(WHERE where_)) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0) END * LN(CASE WHEN NOT TRY_CAST(base_rate AS DOUBLE) IS NULL THEN LEAST(TRY_CAST(base_rate AS DOUBLE), 1 - TRY_CAST(base_rate AS DOUBLE)) ELSE LEAST(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_), SUM((1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END)) FILTER(WHERE where_)) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0) END) - (1 - CASE WHEN NOT TRY_CAST(base_rate AS DOUBLE) IS NULL THEN LEAST(TRY_CAST(base_rate AS DOUBLE), 1 - TRY_CAST(base_rate AS DOUBLE)) ELSE LEAST(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_), SUM((1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END)) FILTER(WHERE where_)) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0) END) * DUCKMETRICS_FN_LOG1P(CAST(-CASE WHEN NOT TRY_CAST(base_rate AS DOUBLE) IS NULL THEN LEAST(TRY_CAST(base_rate AS DOUBLE), 1 - TRY_CAST(base_rate AS DOUBLE)) ELSE LEAST(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_), SUM((1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END)) FILTER(WHERE where_)) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0) END AS DOUBLE)) END), 0) END
);
CREATE OR REPLACE TEMP MACRO npv(label, score, threshold := 0.5e0, where_ := TRUE) AS (
CASE WHEN NOT COALESCE(TRUE AND ISFINITE(TRY_CAST(threshold AS DOUBLE)), FALSE) THEN ERROR('duckmetrics: ' || 'threshold cannot be ''' || COALESCE(CAST(threshold AS TEXT), 'NULL') || ''' for what is asked; it must be a number') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE (SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_) / NULLIF(SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_), 0)) END
);
CREATE OR REPLACE TEMP MACRO precision_score(label, score, threshold := 0.5e0, where_ := TRUE) AS (
CASE WHEN NOT COALESCE(TRUE AND ISFINITE(TRY_CAST(threshold AS DOUBLE)), FALSE) THEN ERROR('duckmetrics: ' || 'threshold cannot be ''' || COALESCE(CAST(threshold AS TEXT), 'NULL') || ''' for what is asked; it must be a number') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE (SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) / NULLIF(SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_), 0)) END
);
CREATE OR REPLACE TEMP MACRO recall(label, score, threshold := 0.5e0, where_ := TRUE) AS (
CASE WHEN NOT COALESCE(TRUE AND ISFINITE(TRY_CAST(threshold AS DOUBLE)), FALSE) THEN ERROR('duckmetrics: ' || 'threshold cannot be ''' || COALESCE(CAST(threshold AS TEXT), 'NULL') || ''' for what is asked; it must be a number') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE (SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) / NULLIF(SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_), 0)) END
);
CREATE OR REPLACE TEMP MACRO recall_score(label, score, threshold := 0.5e0, where_ := TRUE) AS (
RECALL(label, score, threshold, where_)
);
CREATE OR REPLACE TEMP MACRO rig(label, score, eps := 1e-15, base_rate := NULL, where_ := TRUE) AS (
CASE WHEN NOT COALESCE(TRUE AND ISFINITE(TRY_CAST(eps AS DOUBLE)) AND (TRY_CAST(eps AS DOUBLE) >= 0) AND (TRY_CAST(eps AS DOUBLE) < 0.5), FALSE) THEN ERROR('duckmetrics: ' || 'eps cannot be ''' || COALESCE(CAST(eps AS TEXT), 'NULL') || ''' for what is asked; it must be a number and eps >= 0 and eps < 0.5') WHEN NOT (base_rate IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(base_rate AS DOUBLE)) AND (TRY_CAST(base_rate AS DOUBLE) > 0) AND (TRY_CAST(base_rate AS DOUBLE) < 1), FALSE)) THEN ERROR('duckmetrics: ' || 'base_rate cannot be ''' || COALESCE(CAST(base_rate AS TEXT), 'NULL') || ''' for what is asked; it must be a number and base_rate > 0 and base_rate < 1') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_)) ELSE 1 - (((-SUM(CASE WHEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END = 1 AND GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE)) > 0 THEN LN(GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE))) WHEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END = 0 AND GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE)) < 1 THEN LN(1 - GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE))) + ((1 - (1 - GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE)))) - GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE))) / (1 - GREATEST(LEAST(DUCKMETRICS_FN_NUMBER(score, 'score'), 1 - TRY_CAST(eps AS DOUBLE)), TRY_CAST(eps AS DOUBLE))) /* the rounding of 1 - p, put right */ ELSE CAST('-Infinity' AS DOUBLE) END) FILTER(WHERE where_) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0))) / NULLIF((CASE WHEN CASE WHEN NOT TRY_CAST(base_rate AS DOUBLE) IS NULL THEN LEAST(TRY_CAST(base_rate AS DOUBLE), 1 - TRY_CAST(base_rate AS DOUBLE)) ELSE LEAST(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_), SUM((1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END)) FILTER(WHERE where_)) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0) END > 0 THEN -CASE WHEN NOT TRY_CAST(base_rate AS DOUBLE) IS NULL THEN LEAST(TRY_CAST(base_rate AS DOUBLE), 1 - TRY_CAST(base_rate AS DOUBLE)) ELSE LEAST(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_), SUM((1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END)) FILTER(WHERE where_)) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0) END * LN(CASE WHEN NOT TRY_CAST(base_rate AS DOUBLE) IS NULL THEN LEAST(TRY_CAST(base_rate AS DOUBLE), 1 - TRY_CAST(base_rate AS DOUBLE)) ELSE LEAST(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_), SUM((1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END)) FILTER(WHERE where_)) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0) END) - (1 - CASE WHEN NOT TRY_CAST(base_rate AS DOUBLE) IS NULL THEN LEAST(TRY_CAST(base_rate AS DOUBLE), 1 - TRY_CAST(base_rate AS DOUBLE)) ELSE LEAST(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_), SUM((1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END)) FILTER(WHERE where_)) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0) END) * DUCKMETRICS_FN_LOG1P(CAST(-CASE WHEN NOT TRY_CAST(base_rate AS DOUBLE) IS NULL THEN LEAST(TRY_CAST(base_rate AS DOUBLE), 1 - TRY_CAST(base_rate AS DOUBLE)) ELSE LEAST(SUM(CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) FILTER(WHERE where_), SUM((1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END)) FILTER(WHERE where_)) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0) END AS DOUBLE)) END), 0)) END
);
CREATE OR REPLACE TEMP MACRO rmse(label, score, where_ := TRUE) AS (
CASE WHEN NOT MIN(DUCKMETRICS_PROBLEM_3(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_3(label, score)) FILTER(WHERE where_)) ELSE SQRT(SUM((DUCKMETRICS_FN_NUMBER(score, 'score') - DUCKMETRICS_FN_GRADE(label, 'label')) * (DUCKMETRICS_FN_NUMBER(score, 'score') - DUCKMETRICS_FN_GRADE(label, 'label'))) FILTER(WHERE where_) / NULLIF(SUM(1e0) FILTER(WHERE where_), 0)) END
);
CREATE OR REPLACE TEMP MACRO specificity(label, score, threshold := 0.5e0, where_ := TRUE) AS (
CASE WHEN NOT COALESCE(TRUE AND ISFINITE(TRY_CAST(threshold AS DOUBLE)), FALSE) THEN ERROR('duckmetrics: ' || 'threshold cannot be ''' || COALESCE(CAST(threshold AS TEXT), 'NULL') || ''' for what is asked; it must be a number') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE (SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_) / NULLIF(SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_), 0)) END
);
CREATE OR REPLACE TEMP MACRO spiegelhalter_p(label, score, where_ := TRUE) AS (
CASE WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_)) ELSE DUCKMETRICS_FN_NORMAL_P(CAST(((SUM((CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END - DUCKMETRICS_FN_NUMBER(score, 'score')) * (1 - 2 * DUCKMETRICS_FN_NUMBER(score, 'score'))) FILTER(WHERE where_) / NULLIF(SQRT(GREATEST(SUM((1 - 2 * DUCKMETRICS_FN_NUMBER(score, 'score')) * (1 - 2 * DUCKMETRICS_FN_NUMBER(score, 'score')) * DUCKMETRICS_FN_NUMBER(score, 'score') * (1 - DUCKMETRICS_FN_NUMBER(score, 'score'))) FILTER(WHERE where_), 0e0)), 0))) AS DOUBLE)) END
);
CREATE OR REPLACE TEMP MACRO spiegelhalter_z(label, score, where_ := TRUE) AS (
CASE WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_2(label, score)) FILTER(WHERE where_)) ELSE (SUM((CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END - DUCKMETRICS_FN_NUMBER(score, 'score')) * (1 - 2 * DUCKMETRICS_FN_NUMBER(score, 'score'))) FILTER(WHERE where_) / NULLIF(SQRT(GREATEST(SUM((1 - 2 * DUCKMETRICS_FN_NUMBER(score, 'score')) * (1 - 2 * DUCKMETRICS_FN_NUMBER(score, 'score')) * DUCKMETRICS_FN_NUMBER(score, 'score') * (1 - DUCKMETRICS_FN_NUMBER(score, 'score'))) FILTER(WHERE where_), 0e0)), 0)) END
);
CREATE OR REPLACE TEMP MACRO roc_auc(label, score, where_ := TRUE) AS (
AUC(label, score, where_)
);
CREATE OR REPLACE TEMP MACRO auroc(label, score, where_ := TRUE) AS (
AUC(label, score, where_)
);
CREATE OR REPLACE TEMP MACRO ap(label, score, where_ := TRUE) AS (
AVERAGE_PRECISION(label, score, where_)
);
CREATE OR REPLACE TEMP MACRO pr_auc(label, score, where_ := TRUE) AS (
AVERAGE_PRECISION(label, score, where_)
);
CREATE OR REPLACE TEMP MACRO prevalence(label, score, where_ := TRUE) AS (
BASE_RATE(label, score, where_)
);
CREATE OR REPLACE TEMP MACRO ctr(label, score, where_ := TRUE) AS (
BASE_RATE(label, score, where_)
);
CREATE OR REPLACE TEMP MACRO brier_score(label, score, where_ := TRUE) AS (
BRIER(label, score, where_)
);
CREATE OR REPLACE TEMP MACRO pcoc(label, score, where_ := TRUE) AS (
CALIBRATION_RATIO(label, score, where_)
);
CREATE OR REPLACE TEMP MACRO kappa(label, score, threshold := 0.5e0, where_ := TRUE) AS (
COHEN_KAPPA(label, score, threshold, where_)
);
CREATE OR REPLACE TEMP MACRO f1(label, score, threshold := 0.5e0, where_ := TRUE) AS (
CASE WHEN NOT COALESCE(TRUE AND ISFINITE(TRY_CAST(threshold AS DOUBLE)), FALSE) THEN ERROR('duckmetrics: ' || 'threshold cannot be ''' || COALESCE(CAST(threshold AS TEXT), 'NULL') || ''' for what is asked; it must be a number') WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE ((1 + 1.0e0 * 1.0e0) * SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) / NULLIF((1 + 1.0e0 * 1.0e0) * SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END ELSE 0e0 END) FILTER(WHERE where_) + 1.0e0 * 1.0e0 * SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END END) FILTER(WHERE where_) + SUM(CASE WHEN DUCKMETRICS_FN_NUMBER(score, 'score') >= TRY_CAST(threshold AS DOUBLE) THEN (1 - CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END) ELSE 0e0 END) FILTER(WHERE where_), 0)) END
);
CREATE OR REPLACE TEMP MACRO f1_score(label, score, threshold := 0.5e0, where_ := TRUE) AS (
F1(label, score, threshold, where_)
);
CREATE OR REPLACE TEMP MACRO accuracy_ratio(label, score, where_ := TRUE) AS (
GINI(label, score, where_)
);
CREATE OR REPLACE TEMP MACRO logloss(label, score, eps := 1e-15, where_ := TRUE) AS (
LOG_LOSS(label, score, eps, where_)
);
CREATE OR REPLACE TEMP MACRO cross_entropy(label, score, eps := 1e-15, where_ := TRUE) AS (
LOG_LOSS(label, score, eps, where_)
);
CREATE OR REPLACE TEMP MACRO phi(label, score, threshold := 0.5e0, where_ := TRUE) AS (
MCC(label, score, threshold, where_)
);
CREATE OR REPLACE TEMP MACRO ne(label, score, eps := 1e-15, base_rate := NULL, where_ := TRUE) AS (
NORMALIZED_ENTROPY(label, score, eps, base_rate, where_)
);
CREATE OR REPLACE TEMP MACRO ppv(label, score, threshold := 0.5e0, where_ := TRUE) AS (
PRECISION_SCORE(label, score, threshold, where_)
);
CREATE OR REPLACE TEMP MACRO tpr(label, score, threshold := 0.5e0, where_ := TRUE) AS (
RECALL(label, score, threshold, where_)
);
CREATE OR REPLACE TEMP MACRO sensitivity(label, score, threshold := 0.5e0, where_ := TRUE) AS (
RECALL(label, score, threshold, where_)
);
CREATE OR REPLACE TEMP MACRO tnr(label, score, threshold := 0.5e0, where_ := TRUE) AS (
SPECIFICITY(label, score, threshold, where_)
);
CREATE OR REPLACE TEMP MACRO dcg(rel, rank, k := NULL, where_ := TRUE) AS (
CASE WHEN NOT (k IS NULL OR COALESCE(TRUE AND (ISFINITE(TRY_CAST(k AS DOUBLE)) AND TRY_CAST(k AS DOUBLE) = FLOOR(TRY_CAST(k AS DOUBLE))) AND (TRY_CAST(k AS INT) > 0), FALSE)) THEN ERROR('duckmetrics: ' || 'k cannot be ''' || COALESCE(CAST(k AS TEXT), 'NULL') || ''' for what is asked; it must be a whole number and k > 0') WHEN NOT MIN(DUCKMETRICS_PROBLEM_4(rel, rank)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_4(rel, rank)) FILTER(WHERE where_)) ELSE COALESCE(SUM(DUCKMETRICS_FN_GRADE(rel, 'rel') / LOG(2, DUCKMETRICS_FN_NUMBER(rank, 'rank') + 1)) FILTER(WHERE where_ AND DUCKMETRICS_FN_NUMBER(rank, 'rank') <= COALESCE(TRY_CAST(k AS INT), DUCKMETRICS_FN_NUMBER(rank, 'rank'))), 0) END
);
CREATE OR REPLACE TEMP MACRO ndcg(rel, score, k := NULL, where_ := TRUE) AS (
CASE WHEN NOT (k IS NULL OR COALESCE(TRUE AND (ISFINITE(TRY_CAST(k AS DOUBLE)) AND TRY_CAST(k AS DOUBLE) = FLOOR(TRY_CAST(k AS DOUBLE))) AND (TRY_CAST(k AS INT) > 0), FALSE)) THEN ERROR('duckmetrics: ' || 'k cannot be ''' || COALESCE(CAST(k AS TEXT), 'NULL') || ''' for what is asked; it must be a whole number and k > 0') WHEN NOT MIN(DUCKMETRICS_PROBLEM_5(rel, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_5(rel, score)) FILTER(WHERE where_)) ELSE LIST_SUM(LIST_TRANSFORM(LIST_SORT(ARRAY_AGG({'score': -DUCKMETRICS_FN_NUMBER(score, 'score'), 'grade': DUCKMETRICS_FN_GRADE(rel, 'rel')}) FILTER(WHERE where_), 'ASC', 'NULLS FIRST'), LAMBDA _entry, _place : CASE WHEN _place <= COALESCE(TRY_CAST(k AS INT), _place) THEN _entry['grade'] / LOG(2, _place + 1) ELSE 0e0 END)) / NULLIF(LIST_SUM(LIST_TRANSFORM(LIST_SORT(ARRAY_AGG(-DUCKMETRICS_FN_GRADE(rel, 'rel')) FILTER(WHERE where_), 'ASC', 'NULLS FIRST'), LAMBDA _grade, _place : CASE WHEN _place <= COALESCE(TRY_CAST(k AS INT), _place) THEN -_grade / LOG(2, _place + 1) ELSE 0e0 END)), 0) END
);
CREATE OR REPLACE TEMP MACRO reciprocal_rank(label, score, where_ := TRUE) AS (
CASE WHEN COUNT(*) FILTER(WHERE where_ AND (DUCKMETRICS_FN_GRADE(label, 'label') = -1 AND TRUE)) > 0 AND COUNT(*) FILTER(WHERE where_ AND DUCKMETRICS_FN_GRADE(label, 'label') = 0) > 0 THEN ERROR('duckmetrics: rows with the label -1 beside others with 0, so that the negative class is unclear; drop one of the two or make them one class') WHEN NOT MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_) IS NULL THEN ERROR('duckmetrics: ' || MIN(DUCKMETRICS_PROBLEM_1(label, score)) FILTER(WHERE where_)) ELSE 1e0 / LIST_MIN(LIST_TRANSFORM(LIST_SORT(ARRAY_AGG({'score': -DUCKMETRICS_FN_NUMBER(score, 'score'), 'label': CASE WHEN DUCKMETRICS_FN_GRADE(label, 'label') > 0 THEN 1e0 ELSE 0e0 END}) FILTER(WHERE where_), 'ASC', 'NULLS FIRST'), LAMBDA _entry, _place : CASE WHEN _entry['label'] = 1 THEN _place END)) END
);
CREATE OR REPLACE TEMP MACRO evaluate_by_query(predictions, truth, metrics, norm := NULL, duplicates := 'error', missing := NULL, negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', gain := 'linear', discount := 'log2', max_grade := 4.0e0, beta := NULL, ideal := 'judged', recall := NULL, rounding := 'up', p := 0.8e0, query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT _query_id AS query_id, _metric AS metric, _value AS value, _missing AS missing, _no_relevant AS no_relevant FROM DUCKMETRICS_QUERY_VALUES(predictions := predictions, truth := truth, metrics := metrics, norm := norm, duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, gain := gain, discount := discount, max_grade := max_grade, beta := beta, ideal := ideal, recall := recall, rounding := rounding, p := p, agg := 'mean', query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO evaluate(predictions, truth, metrics, norm := NULL, duplicates := 'error', missing := NULL, negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', gain := 'linear', discount := 'log2', max_grade := 4.0e0, beta := NULL, ideal := 'judged', recall := NULL, rounding := 'up', p := 0.8e0, agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
WITH _duckmetrics_query_values AS (SELECT * FROM DUCKMETRICS_QUERY_VALUES(predictions := predictions, truth := truth, metrics := metrics, norm := norm, duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, gain := gain, discount := discount, max_grade := max_grade, beta := beta, ideal := ideal, recall := recall, rounding := rounding, p := p, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)),
_duckmetrics_placed AS (WITH _duckmetrics_placed AS (SELECT _segment, _value, ROW_NUMBER() OVER (PARTITION BY _segment ORDER BY _value ASC NULLS LAST, _query_id ASC NULLS LAST) - 1 AS _place, (COUNT(*) OVER (PARTITION BY _segment) - 1) * CASE _agg WHEN 'median' THEN 50.0e0 WHEN 'p1' THEN 1.0e0 WHEN 'p5' THEN 5.0e0 WHEN 'p10' THEN 10.0e0 WHEN 'p25' THEN 25.0e0 WHEN 'p50' THEN 50.0e0 WHEN 'p75' THEN 75.0e0 WHEN 'p90' THEN 90.0e0 WHEN 'p95' THEN 95.0e0 WHEN 'p99' THEN 99.0e0 END / 1e2 AS _target FROM _duckmetrics_query_values WHERE NOT _value IS NULL AND _agg IN ('median', 'p1', 'p5', 'p10', 'p25', 'p50', 'p75', 'p90', 'p95', 'p99')) SELECT _segment, SUM(_value * (1 - ABS(_place - _target))) FILTER(WHERE ABS(_place - _target) < 1) AS _value FROM _duckmetrics_placed GROUP BY _segment)
SELECT _metric AS metric, _k AS k, CASE WHEN ISFINITE(_v) THEN _v END AS value, _n AS n, _n_missing AS n_missing, _n_no_relevant AS n_no_relevant, _n_undefined AS n_undefined, CASE WHEN ISFINITE(_v) THEN NULL WHEN NOT _v IS NULL THEN 'the values overflow' WHEN _n_population = 0 THEN 'no query in the population' WHEN _n_no_relevant = _n_population THEN 'no query has a relevant item' WHEN _n_missing = _n_population THEN 'no query has predictions' ELSE 'no query has a value' END AS reason FROM (SELECT _duckmetrics_specs._segment, _duckmetrics_specs._metric, _duckmetrics_specs._k, COALESCE(_duckmetrics_counted._value, _duckmetrics_placed._value) AS _v, COALESCE(_duckmetrics_counted._n_population, 0) AS _n_population, COALESCE(_duckmetrics_counted._n, 0) AS _n, COALESCE(_duckmetrics_counted._n_missing, 0) AS _n_missing, COALESCE(_duckmetrics_counted._n_no_relevant, 0) AS _n_no_relevant, COALESCE(_duckmetrics_counted._n_undefined, 0) AS _n_undefined FROM (WITH _duckmetrics_listed AS (SELECT UNNEST(RANGE(0, LENGTH(DUCKMETRICS_FN_ASKED_METRICS(metrics)))) AS _place, UNNEST(DUCKMETRICS_FN_ASKED_METRICS(metrics)) AS _metric) SELECT _duckmetrics_listed._place AS _segment, _duckmetrics_listed._metric, LIST_EXTRACT(DUCKMETRICS_FN_CUTOFFS(DUCKMETRICS_FN_METRIC_CUTOFF(_duckmetrics_listed._metric)), 1) AS _k, _duckmetrics_known.* EXCLUDE (_name) FROM _duckmetrics_listed LEFT JOIN (SELECT _name, _measure, _has_cutoff, _agg FROM (VALUES ('average_precision', 'average_precision', TRUE, CAST(agg AS TEXT)), ('ap', 'average_precision', TRUE, CAST(agg AS TEXT)), ('map', 'average_precision', TRUE, CAST(agg AS TEXT)), ('bpref', 'bpref', FALSE, CAST(agg AS TEXT)), ('cg', 'cg', TRUE, CAST(agg AS TEXT)), ('dcg', 'dcg', TRUE, CAST(agg AS TEXT)), ('err', 'err', TRUE, CAST(agg AS TEXT)), ('f_beta', 'f_beta', TRUE, CAST(agg AS TEXT)), ('first_rank', 'first_rank', TRUE, CAST(agg AS TEXT)), ('hit_rate', 'hit_rate', TRUE, CAST(agg AS TEXT)), ('hr', 'hit_rate', TRUE, CAST(agg AS TEXT)), ('success', 'hit_rate', TRUE, CAST(agg AS TEXT)), ('hits', 'hits', TRUE, CAST(agg AS TEXT)), ('idcg', 'idcg', TRUE, CAST(agg AS TEXT)), ('infap', 'infap', FALSE, CAST(agg AS TEXT)), ('iprec', 'iprec', FALSE, CAST(agg AS TEXT)), ('iprec_at_recall', 'iprec', FALSE, CAST(agg AS TEXT)), ('judged', 'judged', TRUE, CAST(agg AS TEXT)), ('ndcg', 'ndcg', TRUE, CAST(agg AS TEXT)), ('precision', 'precision', TRUE, CAST(agg AS TEXT)), ('p', 'precision', TRUE, CAST(agg AS TEXT)), ('query_auc', 'query_auc', FALSE, CAST(agg AS TEXT)), ('r_precision', 'r_precision', FALSE, CAST(agg AS TEXT)), ('rprec', 'r_precision', FALSE, CAST(agg AS TEXT)), ('rbp', 'rbp', TRUE, CAST(agg AS TEXT)), ('recall', 'recall', TRUE, CAST(agg AS TEXT)), ('reciprocal_rank', 'reciprocal_rank', TRUE, CAST(agg AS TEXT)), ('rr', 'reciprocal_rank', TRUE, CAST(agg AS TEXT)), ('mrr', 'reciprocal_rank', TRUE, CAST(agg AS TEXT)), ('gmap', 'gmap', TRUE, CAST('gmean' AS TEXT)), ('f1', 'f1', TRUE, CAST(agg AS TEXT)), ('mean_rank', 'mean_rank', TRUE, CAST('mean' AS TEXT)), ('median_rank', 'median_rank', TRUE, CAST('median' AS TEXT))) AS _duckmetrics_names(_name, _measure, _has_cutoff, _agg)) AS _duckmetrics_known ON _duckmetrics_known._name = DUCKMETRICS_FN_METRIC_NAME(_duckmetrics_listed._metric)) AS _duckmetrics_specs LEFT JOIN (SELECT _segment, COUNT(*) AS _n_population, COUNT(_value) AS _n, COUNT(*) FILTER(WHERE _missing) AS _n_missing, COUNT(*) FILTER(WHERE _no_relevant) AS _n_no_relevant, COUNT(*) FILTER(WHERE _undefined) AS _n_undefined, CASE WHEN _agg IN ('gmean') THEN EXP(AVG(CASE WHEN NOT _value IS NULL THEN LN(GREATEST(_value, 1e-5)) END)) WHEN _agg IN ('mean') THEN AVG(_value) WHEN _agg IN ('sum') THEN SUM(_value) END AS _value FROM _duckmetrics_query_values GROUP BY _segment, _agg) AS _duckmetrics_counted ON _duckmetrics_counted._segment = _duckmetrics_specs._segment LEFT JOIN _duckmetrics_placed ON _duckmetrics_placed._segment = _duckmetrics_specs._segment) AS _duckmetrics_summary ORDER BY _segment ASC NULLS LAST
);
CREATE OR REPLACE TEMP MACRO average_precision(predictions, truth, k := NULL, norm := 'relevant', duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('average_precision', k), norm := norm, duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO ap(predictions, truth, k := NULL, norm := 'relevant', duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('ap', k), norm := norm, duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO map_at(predictions, truth, k := NULL, norm := 'relevant', duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('map', k), norm := norm, duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO bpref(predictions, truth, duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('bpref', NULL), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO cg(predictions, truth, k := NULL, gain := 'linear', duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('cg', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, gain := gain, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO dcg(predictions, truth, k := NULL, gain := 'linear', discount := 'log2', duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('dcg', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, gain := gain, discount := discount, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO err(predictions, truth, max_grade := 4.0e0, k := NULL, duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('err', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, scores := scores, ties := ties, unjudged := unjudged, max_grade := max_grade, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO f_beta(predictions, truth, beta, k := NULL, duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('f_beta', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, beta := beta, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO first_rank(predictions, truth, k := NULL, duplicates := 'error', missing := 'undefined', negative_grade := 'error', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('first_rank', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO hit_rate(predictions, truth, k := NULL, duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('hit_rate', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO hr(predictions, truth, k := NULL, duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('hr', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO success(predictions, truth, k := NULL, duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('success', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO hits(predictions, truth, k := NULL, duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('hits', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO idcg(predictions, truth, k := NULL, gain := 'linear', discount := 'log2', ideal := 'judged', duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('idcg', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, gain := gain, discount := discount, ideal := ideal, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO infap(predictions, truth, duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('infap', NULL), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO iprec(predictions, truth, recall, rounding := 'up', duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('iprec', NULL), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, recall := recall, rounding := rounding, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO iprec_at_recall(predictions, truth, recall, rounding := 'up', duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('iprec_at_recall', NULL), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, recall := recall, rounding := rounding, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO judged(predictions, truth, k := NULL, duplicates := 'error', missing := 'zero', negative_grade := 'error', null_relevance := 'error', population := 'truth', scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('judged', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, null_relevance := null_relevance, population := population, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO ndcg(predictions, truth, k := NULL, gain := 'linear', discount := 'log2', ideal := 'judged', duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('ndcg', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, gain := gain, discount := discount, ideal := ideal, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO precision_at(predictions, truth, k := NULL, norm := 'k', duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('precision', k), norm := norm, duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO query_auc(predictions, truth, duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('query_auc', NULL), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO r_precision(predictions, truth, duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('r_precision', NULL), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO rprec(predictions, truth, duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('rprec', NULL), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO rbp(predictions, truth, p := 0.8e0, k := NULL, duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('rbp', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, p := p, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO recall(predictions, truth, k := NULL, norm := 'relevant', duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('recall', k), norm := norm, duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO reciprocal_rank(predictions, truth, k := NULL, duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('reciprocal_rank', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO rr(predictions, truth, k := NULL, duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('rr', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO mrr(predictions, truth, k := NULL, duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('mrr', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO gmap(predictions, truth, k := NULL, norm := 'relevant', duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'gmean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('gmap', k), norm := norm, duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO f1(predictions, truth, k := NULL, duplicates := 'error', missing := 'zero', negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('f1', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, no_relevant := no_relevant, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO mean_rank(predictions, truth, k := NULL, duplicates := 'error', missing := 'undefined', negative_grade := 'error', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('mean_rank', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO median_rank(predictions, truth, k := NULL, duplicates := 'error', missing := 'undefined', negative_grade := 'error', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', agg := 'median', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
SELECT * FROM EVALUATE(predictions := predictions, truth := truth, metrics := DUCKMETRICS_FN_ONE_METRIC('median_rank', k), duplicates := duplicates, missing := missing, negative_grade := negative_grade, null_relevance := null_relevance, population := population, rel := rel, scores := scores, ties := ties, unjudged := unjudged, agg := agg, query_id := query_id, item_id := item_id, score := score, rank := rank, "position" := "position", relevance := relevance)
);
CREATE OR REPLACE TEMP MACRO evaluate_classification(data, label, score, metrics, group_id := NULL, per := NULL, threshold := 0.5e0, bins := 10, binning := 'width', approx := NULL, interpolation := 'step', base_rate := NULL, eps := 1e-15, beta := NULL, average := 'impressions', top := NULL, max_fpr := NULL, norm := 'mcclish', recall := NULL, "precision" := NULL, fpr := NULL, plan := 'sorted') AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _lower AS lower, _upper AS upper, _n_undefined AS n_undefined, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := metrics, group_id := group_id, per := per, plan := plan, threshold := threshold, bins := bins, binning := binning, approx := approx, interpolation := interpolation, base_rate := base_rate, eps := eps, beta := beta, average := average, top := top, max_fpr := max_fpr, norm := norm, recall := recall, "precision" := "precision", fpr := fpr)
),
(data, label, score, metrics, weight, group_id := NULL, per := NULL, threshold := 0.5e0, bins := 10, binning := 'width', approx := NULL, interpolation := 'step', base_rate := NULL, eps := 1e-15, beta := NULL, average := 'impressions', top := NULL, max_fpr := NULL, norm := 'mcclish', recall := NULL, "precision" := NULL, fpr := NULL, plan := 'grouped') AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _lower AS lower, _upper AS upper, _n_undefined AS n_undefined, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := metrics, group_id := group_id, per := per, weight := weight, plan := CASE WHEN plan = 'sorted' THEN 'grouped' ELSE plan END, threshold := threshold, bins := bins, binning := binning, approx := approx, interpolation := interpolation, base_rate := base_rate, eps := eps, beta := beta, average := average, top := top, max_fpr := max_fpr, norm := norm, recall := recall, "precision" := "precision", fpr := fpr)
);
CREATE OR REPLACE TEMP MACRO accuracy(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'accuracy', per := per, weight := weight, threshold := threshold)
);
CREATE OR REPLACE TEMP MACRO ace(data, label, score, per := NULL, bins := 10, binning := 'width', weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'ace', per := per, weight := weight, bins := bins, binning := binning)
);
CREATE OR REPLACE TEMP MACRO auc(data, label, score, per := NULL, approx := NULL, plan := 'sorted') AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _lower AS lower, _upper AS upper, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'auc', per := per, plan := plan, approx := approx)
),
(data, label, score, weight, per := NULL, approx := NULL, plan := 'grouped') AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _lower AS lower, _upper AS upper, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'auc', per := per, weight := weight, plan := CASE WHEN plan = 'sorted' THEN 'grouped' ELSE plan END, approx := approx)
);
CREATE OR REPLACE TEMP MACRO roc_auc(data, label, score, per := NULL, approx := NULL, plan := 'sorted') AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _lower AS lower, _upper AS upper, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'roc_auc', per := per, plan := plan, approx := approx)
),
(data, label, score, weight, per := NULL, approx := NULL, plan := 'grouped') AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _lower AS lower, _upper AS upper, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'roc_auc', per := per, weight := weight, plan := CASE WHEN plan = 'sorted' THEN 'grouped' ELSE plan END, approx := approx)
);
CREATE OR REPLACE TEMP MACRO auroc(data, label, score, per := NULL, approx := NULL, plan := 'sorted') AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _lower AS lower, _upper AS upper, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'auroc', per := per, plan := plan, approx := approx)
),
(data, label, score, weight, per := NULL, approx := NULL, plan := 'grouped') AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _lower AS lower, _upper AS upper, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'auroc', per := per, weight := weight, plan := CASE WHEN plan = 'sorted' THEN 'grouped' ELSE plan END, approx := approx)
);
CREATE OR REPLACE TEMP MACRO auc_pairwise(data, label, score, per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'auc_pairwise', per := per, weight := weight)
);
CREATE OR REPLACE TEMP MACRO average_precision_score(data, label, score, per := NULL, interpolation := 'step', weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'average_precision', per := per, weight := weight, interpolation := interpolation)
);
CREATE OR REPLACE TEMP MACRO pr_auc(data, label, score, per := NULL, interpolation := 'step', weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'pr_auc', per := per, weight := weight, interpolation := interpolation)
);
CREATE OR REPLACE TEMP MACRO balanced_accuracy(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'balanced_accuracy', per := per, weight := weight, threshold := threshold)
);
CREATE OR REPLACE TEMP MACRO base_entropy(data, label, score, per := NULL, base_rate := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'base_entropy', per := per, weight := weight, base_rate := base_rate)
);
CREATE OR REPLACE TEMP MACRO base_rate(data, label, score, per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'base_rate', per := per, weight := weight)
);
CREATE OR REPLACE TEMP MACRO prevalence(data, label, score, per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'prevalence', per := per, weight := weight)
);
CREATE OR REPLACE TEMP MACRO ctr(data, label, score, per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'ctr', per := per, weight := weight)
);
CREATE OR REPLACE TEMP MACRO brier(data, label, score, per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'brier', per := per, weight := weight)
);
CREATE OR REPLACE TEMP MACRO brier_score(data, label, score, per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'brier_score', per := per, weight := weight)
);
CREATE OR REPLACE TEMP MACRO brier_skill(data, label, score, per := NULL, base_rate := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'brier_skill', per := per, weight := weight, base_rate := base_rate)
);
CREATE OR REPLACE TEMP MACRO calibration_intercept(data, label, score, per := NULL, eps := 1e-15, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'calibration_intercept', per := per, weight := weight, eps := eps)
);
CREATE OR REPLACE TEMP MACRO calibration_ratio(data, label, score, per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'calibration_ratio', per := per, weight := weight)
);
CREATE OR REPLACE TEMP MACRO pcoc(data, label, score, per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'pcoc', per := per, weight := weight)
);
CREATE OR REPLACE TEMP MACRO calibration_slope(data, label, score, per := NULL, eps := 1e-15, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'calibration_slope', per := per, weight := weight, eps := eps)
);
CREATE OR REPLACE TEMP MACRO cohen_kappa(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'cohen_kappa', per := per, weight := weight, threshold := threshold)
);
CREATE OR REPLACE TEMP MACRO kappa(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'kappa', per := per, weight := weight, threshold := threshold)
);
CREATE OR REPLACE TEMP MACRO copc(data, label, score, per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'copc', per := per, weight := weight)
);
CREATE OR REPLACE TEMP MACRO ece(data, label, score, per := NULL, bins := 10, binning := 'width', weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'ece', per := per, weight := weight, bins := bins, binning := binning)
);
CREATE OR REPLACE TEMP MACRO f_beta_score(data, label, score, beta, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'f_beta', per := per, weight := weight, threshold := threshold, beta := beta)
);
CREATE OR REPLACE TEMP MACRO fnr(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'fnr', per := per, weight := weight, threshold := threshold)
);
CREATE OR REPLACE TEMP MACRO fpr(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'fpr', per := per, weight := weight, threshold := threshold)
);
CREATE OR REPLACE TEMP MACRO gauc(data, label, score, group_id, per := NULL, average := 'impressions', plan := 'sorted') AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n_undefined AS n_undefined, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'gauc', group_id := group_id, per := per, plan := plan, average := average)
),
(data, label, score, group_id, weight, per := NULL, average := 'impressions', plan := 'grouped') AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n_undefined AS n_undefined, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'gauc', group_id := group_id, per := per, weight := weight, plan := CASE WHEN plan = 'sorted' THEN 'grouped' ELSE plan END, average := average)
);
CREATE OR REPLACE TEMP MACRO gini(data, label, score, per := NULL, plan := 'sorted') AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'gini', per := per, plan := plan)
),
(data, label, score, weight, per := NULL, plan := 'grouped') AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'gini', per := per, weight := weight, plan := CASE WHEN plan = 'sorted' THEN 'grouped' ELSE plan END)
);
CREATE OR REPLACE TEMP MACRO accuracy_ratio(data, label, score, per := NULL, plan := 'sorted') AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'accuracy_ratio', per := per, plan := plan)
),
(data, label, score, weight, per := NULL, plan := 'grouped') AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'accuracy_ratio', per := per, weight := weight, plan := CASE WHEN plan = 'sorted' THEN 'grouped' ELSE plan END)
);
CREATE OR REPLACE TEMP MACRO hosmer_lemeshow(data, label, score, per := NULL, bins := 10) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'hosmer_lemeshow', per := per, bins := bins)
);
CREATE OR REPLACE TEMP MACRO ks(data, label, score, per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'ks', per := per, weight := weight)
);
CREATE OR REPLACE TEMP MACRO lift(data, label, score, top, per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'lift', per := per, weight := weight, top := top)
);
CREATE OR REPLACE TEMP MACRO log_loss(data, label, score, per := NULL, eps := 1e-15, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'log_loss', per := per, weight := weight, eps := eps)
);
CREATE OR REPLACE TEMP MACRO logloss(data, label, score, per := NULL, eps := 1e-15, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'logloss', per := per, weight := weight, eps := eps)
);
CREATE OR REPLACE TEMP MACRO cross_entropy(data, label, score, per := NULL, eps := 1e-15, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'cross_entropy', per := per, weight := weight, eps := eps)
);
CREATE OR REPLACE TEMP MACRO mae(data, label, score, per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'mae', per := per, weight := weight)
);
CREATE OR REPLACE TEMP MACRO max_f1(data, label, score, per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'max_f1', per := per, weight := weight)
);
CREATE OR REPLACE TEMP MACRO mcc(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'mcc', per := per, weight := weight, threshold := threshold)
);
CREATE OR REPLACE TEMP MACRO phi(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'phi', per := per, weight := weight, threshold := threshold)
);
CREATE OR REPLACE TEMP MACRO mce(data, label, score, per := NULL, bins := 10, binning := 'width', weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'mce', per := per, weight := weight, bins := bins, binning := binning)
);
CREATE OR REPLACE TEMP MACRO normalized_entropy(data, label, score, per := NULL, eps := 1e-15, base_rate := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'normalized_entropy', per := per, weight := weight, base_rate := base_rate, eps := eps)
);
CREATE OR REPLACE TEMP MACRO ne(data, label, score, per := NULL, eps := 1e-15, base_rate := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'ne', per := per, weight := weight, base_rate := base_rate, eps := eps)
);
CREATE OR REPLACE TEMP MACRO npv(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'npv', per := per, weight := weight, threshold := threshold)
);
CREATE OR REPLACE TEMP MACRO partial_auc(data, label, score, max_fpr, per := NULL, norm := 'mcclish', weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'partial_auc', per := per, weight := weight, max_fpr := max_fpr, norm := norm)
);
CREATE OR REPLACE TEMP MACRO precision_score(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'precision', per := per, weight := weight, threshold := threshold)
);
CREATE OR REPLACE TEMP MACRO ppv(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'ppv', per := per, weight := weight, threshold := threshold)
);
CREATE OR REPLACE TEMP MACRO precision_at_recall(data, label, score, recall, per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'precision_at_recall', per := per, weight := weight, recall := recall)
);
CREATE OR REPLACE TEMP MACRO r2(data, label, score, per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'r2', per := per, weight := weight)
);
CREATE OR REPLACE TEMP MACRO recall_score(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'recall', per := per, weight := weight, threshold := threshold)
);
CREATE OR REPLACE TEMP MACRO tpr(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'tpr', per := per, weight := weight, threshold := threshold)
);
CREATE OR REPLACE TEMP MACRO sensitivity(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'sensitivity', per := per, weight := weight, threshold := threshold)
);
CREATE OR REPLACE TEMP MACRO recall_at_precision(data, label, score, "precision", per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'recall_at_precision', per := per, weight := weight, "precision" := "precision")
);
CREATE OR REPLACE TEMP MACRO rig(data, label, score, per := NULL, eps := 1e-15, base_rate := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'rig', per := per, weight := weight, base_rate := base_rate, eps := eps)
);
CREATE OR REPLACE TEMP MACRO rmse(data, label, score, per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'rmse', per := per, weight := weight)
);
CREATE OR REPLACE TEMP MACRO specificity(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'specificity', per := per, weight := weight, threshold := threshold)
);
CREATE OR REPLACE TEMP MACRO tnr(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'tnr', per := per, weight := weight, threshold := threshold)
);
CREATE OR REPLACE TEMP MACRO spiegelhalter_p(data, label, score, per := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'spiegelhalter_p', per := per)
);
CREATE OR REPLACE TEMP MACRO spiegelhalter_z(data, label, score, per := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'spiegelhalter_z', per := per)
);
CREATE OR REPLACE TEMP MACRO tpr_at_fpr(data, label, score, fpr, per := NULL, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'tpr_at_fpr', per := per, weight := weight, fpr := fpr)
);
CREATE OR REPLACE TEMP MACRO f1_score(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
SELECT _segment AS segment, _metric AS metric, _value AS value, _n AS n, _n_positive AS n_positive, _reason AS reason FROM DUCKMETRICS_SEGMENT_VALUES(data := data, label := label, score := score, metrics := 'f1', per := per, weight := weight, threshold := threshold)
);
CREATE OR REPLACE TEMP MACRO brier_decomposition(data, label, score, per := NULL, bins := 10, binning := 'width', weight := NULL) AS TABLE (
WITH _duckmetrics_predictions AS (SELECT '' AS _system, per AS _segment, DUCKMETRICS_FN_GRADE(label, 'the label') AS _label, DUCKMETRICS_FN_NUMBER(score, 'the score') AS _score, CASE WHEN TYPEOF(weight) = '"NULL"' THEN 1e0 ELSE DUCKMETRICS_FN_NUMBER(weight, 'the weight') END AS _weight, NULL AS _group_id FROM QUERY(DUCKMETRICS_FN_SOURCE(data, ''))),
_duckmetrics_labeled AS (SELECT '' AS _system, _segment, NULL AS _group_id, CASE WHEN _label > 0 THEN 1e0 ELSE 0e0 END AS _label, _score, _weight AS _weight FROM _duckmetrics_predictions WHERE _weight > 0)
SELECT _segment AS segment, _brier AS brier, _reliability AS reliability, _resolution AS resolution, _uncertainty AS uncertainty, _within_variance AS within_variance, _within_covariance AS within_covariance FROM (SELECT '' AS _system, _segment, _squared_error / NULLIF(_total, 0) AS _brier, _squared_gap / NULLIF(_total, 0) AS _reliability, _squared_label / NULLIF(_total, 0) - _base_rate * _base_rate AS _resolution, _base_rate * (1 - _base_rate) AS _uncertainty, _variance / NULLIF(_total, 0) AS _within_variance, 2 * _covariance / NULLIF(_total, 0) AS _within_covariance FROM (SELECT '' AS _system, _segment, SUM(_total) AS _total, SUM(_total * _mean_label) / NULLIF(SUM(_total), 0) AS _base_rate, SUM(_total * (_mean_square - 2 * _mean_product + _mean_label)) AS _squared_error, SUM(_total * (_mean_score - _mean_label) * (_mean_score - _mean_label)) AS _squared_gap, SUM(_total * _mean_label * _mean_label) AS _squared_label, SUM(_total * (_mean_square - _mean_score * _mean_score)) AS _variance, SUM(_total * (_mean_product - _mean_score * _mean_label)) AS _covariance FROM (SELECT '' AS _system, _segment, _bin, SUM(_weight) AS _total, SUM(_weight * _p) / NULLIF(SUM(_weight), 0) AS _mean_score, SUM(_weight * _label) / NULLIF(SUM(_weight), 0) AS _mean_label, SUM(_weight * _p * _p) / NULLIF(SUM(_weight), 0) AS _mean_square, SUM(_weight * _p * _label) / NULLIF(SUM(_weight), 0) AS _mean_product FROM (SELECT '' AS _system, _segment, _label, _score AS _p, _weight, LEAST(CASE WHEN _score >= (FLOOR(_score * TRY_CAST(bins AS INT)) + 1) / TRY_CAST(bins AS INT) THEN FLOOR(_score * TRY_CAST(bins AS INT)) + 1 WHEN _score < FLOOR(_score * TRY_CAST(bins AS INT)) / TRY_CAST(bins AS INT) THEN FLOOR(_score * TRY_CAST(bins AS INT)) - 1 ELSE FLOOR(_score * TRY_CAST(bins AS INT)) END, TRY_CAST(bins AS INT) - 1) AS _bin FROM _duckmetrics_labeled WHERE TRY_CAST(binning AS TEXT) = 'width' UNION ALL SELECT '' AS _system, _segment, _label, _p, _weight, CASE WHEN _place < _wide * (_few + 1) THEN FLOOR(_place / (_few + 1)) ELSE _wide + FLOOR((_place - _wide * (_few + 1)) / NULLIF(_few, 0)) END AS _bin FROM (SELECT '' AS _system, _segment, _label, _score AS _p, _weight, RANK() OVER (PARTITION BY _segment ORDER BY _score ASC NULLS LAST) - 1 AS _place, FLOOR(COUNT(*) OVER (PARTITION BY _segment) / CAST(TRY_CAST(bins AS INT) AS DOUBLE)) AS _few, COUNT(*) OVER (PARTITION BY _segment) % TRY_CAST(bins AS INT) AS _wide FROM _duckmetrics_labeled) AS _duckmetrics_places WHERE TRY_CAST(binning AS TEXT) = 'mass') AS _duckmetrics_binned GROUP BY _segment, _bin) AS _duckmetrics_bins GROUP BY _segment) AS _duckmetrics_parts) AS _duckmetrics_brier_decomposition CROSS JOIN (SELECT CASE WHEN COUNT(*) > 0 THEN ERROR('duckmetrics: ' || COALESCE(ARG_MIN(_problem, _place), 'the input cannot be evaluated')) ELSE TRUE END AS _fine FROM (SELECT 'data: no rows; check how they were exported' AS _problem, 0 AS _place WHERE NOT EXISTS(SELECT 1 FROM _duckmetrics_predictions) UNION ALL SELECT _problem, 1 AS _place FROM (SELECT CASE WHEN CAST(bins AS TEXT) IS DISTINCT FROM CAST(10 AS TEXT) AND COUNT(*) FILTER(WHERE COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 0), FALSE)) = 0 THEN 'bins cannot be ''' || COALESCE(CAST(bins AS TEXT), 'NULL') || ''' for what is asked; it must be a whole number and bins > 0' WHEN COUNT(*) FILTER(WHERE bins IS NULL AND TRUE) > 0 THEN 'bins is missing; give it a whole number' WHEN CAST(binning AS TEXT) IS DISTINCT FROM CAST('width' AS TEXT) AND COUNT(*) FILTER(WHERE COALESCE(TRUE AND (TRY_CAST(binning AS TEXT) IN ('width', 'mass')), FALSE)) = 0 THEN 'binning cannot be ''' || COALESCE(CAST(binning AS TEXT), 'NULL') || ''' for what is asked; choose width or mass' WHEN COUNT(*) FILTER(WHERE binning IS NULL AND TRUE) > 0 THEN 'binning is missing; give it width or another value' END AS _problem FROM (SELECT 'brier_decomposition' AS _measure) AS _duckmetrics_specs) AS _duckmetrics_given WHERE NOT _problem IS NULL UNION ALL SELECT CASE WHEN _label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0) THEN 'predictions.label: rows with the label -1 beside others with 0, so that the negative class is unclear' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop one of the two or make them one class' WHEN (_score < 0 OR _score > 1) AND NOT ISNAN(_score) THEN 'predictions.score: rows whose score lies outside of [0, 1], so it is no probability' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); apply the sigmoid or calibrate it first; metrics such as auc take any score' WHEN _weight IS NULL THEN 'predictions.weight: rows whose weight is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); give them a weight, 0 leaves a row out' WHEN ISNAN(_label) OR ISINF(_label) THEN 'predictions.label: rows whose label is NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows' WHEN ISNAN(_score) THEN 'predictions.score: rows whose score is NaN, which would sort above every number' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _label IS NULL THEN 'predictions.label: rows whose label is NULL' || ' (score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows, or say what a missing label means' WHEN _score IS NULL THEN 'predictions.score: rows whose score is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _system IS NULL THEN 'predictions.system: rows with no system' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or give them a name' WHEN NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label) THEN 'predictions.label: rows whose label is none of 0, 1, -1, true and false' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); make it 0 or 1, as in CAST(rating >= 4 AS INTEGER)' WHEN _weight < 0 OR ISNAN(_weight) OR ISINF(_weight) THEN 'predictions.weight: rows whose weight is negative, NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || ', weight=' || COALESCE(CAST(_weight AS TEXT), 'NULL') || '); mend them, 0 leaves a row out' END AS _problem, 2 AS _place FROM _duckmetrics_predictions WHERE (_label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0)) OR ((_score < 0 OR _score > 1) AND NOT ISNAN(_score)) OR (_weight IS NULL) OR (ISNAN(_label) OR ISINF(_label)) OR (ISNAN(_score)) OR (_label IS NULL) OR (_score IS NULL) OR (_system IS NULL) OR (NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label)) OR (_weight < 0 OR ISNAN(_weight) OR ISINF(_weight))) AS _duckmetrics_problems) AS _duckmetrics_checked WHERE _fine ORDER BY _segment ASC NULLS LAST
);
CREATE OR REPLACE TEMP MACRO calibration_curve(data, label, score, per := NULL, bins := 10, binning := 'width', weight := NULL) AS TABLE (
WITH _duckmetrics_predictions AS (SELECT '' AS _system, per AS _segment, DUCKMETRICS_FN_GRADE(label, 'the label') AS _label, DUCKMETRICS_FN_NUMBER(score, 'the score') AS _score, CASE WHEN TYPEOF(weight) = '"NULL"' THEN 1e0 ELSE DUCKMETRICS_FN_NUMBER(weight, 'the weight') END AS _weight, NULL AS _group_id FROM QUERY(DUCKMETRICS_FN_SOURCE(data, ''))),
_duckmetrics_labeled AS (SELECT '' AS _system, _segment, NULL AS _group_id, CASE WHEN _label > 0 THEN 1e0 ELSE 0e0 END AS _label, _score, _weight AS _weight FROM _duckmetrics_predictions WHERE _weight > 0)
SELECT _segment AS segment, _bin AS bin, _lo AS lo, _hi AS hi, _n AS n, _mean_score AS mean_score, _mean_label AS mean_label, _lower AS lower, _upper AS upper, _gap AS gap FROM (SELECT '' AS _system, _duckmetrics_slots._segment, _duckmetrics_slots._bin, CASE TRY_CAST(binning AS TEXT) WHEN 'width' THEN _duckmetrics_slots._bin / CAST(TRY_CAST(bins AS INT) AS DOUBLE) ELSE _duckmetrics_intervals._lowest END AS _lo, CASE TRY_CAST(binning AS TEXT) WHEN 'width' THEN (_duckmetrics_slots._bin + 1) / CAST(TRY_CAST(bins AS INT) AS DOUBLE) ELSE _duckmetrics_intervals._highest END AS _hi, COALESCE(_duckmetrics_intervals._n, 0) AS _n, _duckmetrics_intervals._mean_score, _duckmetrics_intervals._mean_label, CASE WHEN _duckmetrics_intervals._n > 0 THEN GREATEST(_duckmetrics_intervals._center - _duckmetrics_intervals._half, 0e0) END AS _lower, CASE WHEN _duckmetrics_intervals._n > 0 THEN LEAST(_duckmetrics_intervals._center + _duckmetrics_intervals._half, 1e0) END AS _upper, _duckmetrics_intervals._mean_score - _duckmetrics_intervals._mean_label AS _gap FROM (SELECT '' AS _system, _duckmetrics_segments._segment, _duckmetrics_slots._bin FROM (SELECT '' AS _system, _segment, COUNT(*) AS _n FROM _duckmetrics_predictions WHERE _weight > 0 GROUP BY _segment) AS _duckmetrics_segments CROSS JOIN RANGE(0, TRY_CAST(bins AS INT)) AS _duckmetrics_slots(_bin)) AS _duckmetrics_slots LEFT JOIN (SELECT '' AS _system, _segment, _bin, _n, _mean_score, _mean_label, _lowest, _highest, (_mean_label + 3.8414588206941227e0 / (2 * _total)) / (1 + 3.8414588206941227e0 / _total) AS _center, 1.9599639845400541e0 * SQRT(_mean_label * (1 - _mean_label) / _total + 3.8414588206941227e0 / (4 * _total * _total)) / (1 + 3.8414588206941227e0 / _total) AS _half FROM (SELECT '' AS _system, _segment, _bin, COUNT(*) AS _n, SUM(_weight) AS _total, SUM(_weight * _p) / NULLIF(SUM(_weight), 0) AS _mean_score, SUM(_weight * _label) / NULLIF(SUM(_weight), 0) AS _mean_label, MIN(_p) AS _lowest, MAX(_p) AS _highest FROM (SELECT '' AS _system, _segment, _label, _score AS _p, _weight, LEAST(CASE WHEN _score >= (FLOOR(_score * TRY_CAST(bins AS INT)) + 1) / TRY_CAST(bins AS INT) THEN FLOOR(_score * TRY_CAST(bins AS INT)) + 1 WHEN _score < FLOOR(_score * TRY_CAST(bins AS INT)) / TRY_CAST(bins AS INT) THEN FLOOR(_score * TRY_CAST(bins AS INT)) - 1 ELSE FLOOR(_score * TRY_CAST(bins AS INT)) END, TRY_CAST(bins AS INT) - 1) AS _bin FROM _duckmetrics_labeled WHERE TRY_CAST(binning AS TEXT) = 'width' UNION ALL SELECT '' AS _system, _segment, _label, _p, _weight, CASE WHEN _place < _wide * (_few + 1) THEN FLOOR(_place / (_few + 1)) ELSE _wide + FLOOR((_place - _wide * (_few + 1)) / NULLIF(_few, 0)) END AS _bin FROM (SELECT '' AS _system, _segment, _label, _score AS _p, _weight, RANK() OVER (PARTITION BY _segment ORDER BY _score ASC NULLS LAST) - 1 AS _place, FLOOR(COUNT(*) OVER (PARTITION BY _segment) / CAST(TRY_CAST(bins AS INT) AS DOUBLE)) AS _few, COUNT(*) OVER (PARTITION BY _segment) % TRY_CAST(bins AS INT) AS _wide FROM _duckmetrics_labeled) AS _duckmetrics_places WHERE TRY_CAST(binning AS TEXT) = 'mass') AS _duckmetrics_binned GROUP BY _segment, _bin) AS _duckmetrics_bins) AS _duckmetrics_intervals ON _duckmetrics_intervals._segment IS NOT DISTINCT FROM _duckmetrics_slots._segment AND _duckmetrics_intervals._bin = _duckmetrics_slots._bin) AS _duckmetrics_calibration_curve CROSS JOIN (SELECT CASE WHEN COUNT(*) > 0 THEN ERROR('duckmetrics: ' || COALESCE(ARG_MIN(_problem, _place), 'the input cannot be evaluated')) ELSE TRUE END AS _fine FROM (SELECT 'data: no rows; check how they were exported' AS _problem, 0 AS _place WHERE NOT EXISTS(SELECT 1 FROM _duckmetrics_predictions) UNION ALL SELECT _problem, 1 AS _place FROM (SELECT CASE WHEN CAST(bins AS TEXT) IS DISTINCT FROM CAST(10 AS TEXT) AND COUNT(*) FILTER(WHERE COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 0), FALSE)) = 0 THEN 'bins cannot be ''' || COALESCE(CAST(bins AS TEXT), 'NULL') || ''' for what is asked; it must be a whole number and bins > 0' WHEN COUNT(*) FILTER(WHERE bins IS NULL AND TRUE) > 0 THEN 'bins is missing; give it a whole number' WHEN CAST(binning AS TEXT) IS DISTINCT FROM CAST('width' AS TEXT) AND COUNT(*) FILTER(WHERE COALESCE(TRUE AND (TRY_CAST(binning AS TEXT) IN ('width', 'mass')), FALSE)) = 0 THEN 'binning cannot be ''' || COALESCE(CAST(binning AS TEXT), 'NULL') || ''' for what is asked; choose width or mass' WHEN COUNT(*) FILTER(WHERE binning IS NULL AND TRUE) > 0 THEN 'binning is missing; give it width or another value' END AS _problem FROM (SELECT 'calibration_curve' AS _measure) AS _duckmetrics_specs) AS _duckmetrics_given WHERE NOT _problem IS NULL UNION ALL SELECT CASE WHEN _label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0) THEN 'predictions.label: rows with the label -1 beside others with 0, so that the negative class is unclear' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop one of the two or make them one class' WHEN (_score < 0 OR _score > 1) AND NOT ISNAN(_score) THEN 'predictions.score: rows whose score lies outside of [0, 1], so it is no probability' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); apply the sigmoid or calibrate it first; metrics such as auc take any score' WHEN _weight IS NULL THEN 'predictions.weight: rows whose weight is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); give them a weight, 0 leaves a row out' WHEN ISNAN(_label) OR ISINF(_label) THEN 'predictions.label: rows whose label is NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows' WHEN ISNAN(_score) THEN 'predictions.score: rows whose score is NaN, which would sort above every number' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _label IS NULL THEN 'predictions.label: rows whose label is NULL' || ' (score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows, or say what a missing label means' WHEN _score IS NULL THEN 'predictions.score: rows whose score is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _system IS NULL THEN 'predictions.system: rows with no system' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or give them a name' WHEN NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label) THEN 'predictions.label: rows whose label is none of 0, 1, -1, true and false' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); make it 0 or 1, as in CAST(rating >= 4 AS INTEGER)' WHEN _weight < 0 OR ISNAN(_weight) OR ISINF(_weight) THEN 'predictions.weight: rows whose weight is negative, NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || ', weight=' || COALESCE(CAST(_weight AS TEXT), 'NULL') || '); mend them, 0 leaves a row out' END AS _problem, 2 AS _place FROM _duckmetrics_predictions WHERE (_label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0)) OR ((_score < 0 OR _score > 1) AND NOT ISNAN(_score)) OR (_weight IS NULL) OR (ISNAN(_label) OR ISINF(_label)) OR (ISNAN(_score)) OR (_label IS NULL) OR (_score IS NULL) OR (_system IS NULL) OR (NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label)) OR (_weight < 0 OR ISNAN(_weight) OR ISINF(_weight))) AS _duckmetrics_problems) AS _duckmetrics_checked WHERE _fine ORDER BY _segment ASC NULLS LAST, _bin ASC NULLS LAST
);
CREATE OR REPLACE TEMP MACRO confusion(data, label, score, per := NULL, threshold := 0.5e0, weight := NULL) AS TABLE (
WITH _duckmetrics_predictions AS (SELECT '' AS _system, per AS _segment, DUCKMETRICS_FN_GRADE(label, 'the label') AS _label, DUCKMETRICS_FN_NUMBER(score, 'the score') AS _score, CASE WHEN TYPEOF(weight) = '"NULL"' THEN 1e0 ELSE DUCKMETRICS_FN_NUMBER(weight, 'the weight') END AS _weight, NULL AS _group_id FROM QUERY(DUCKMETRICS_FN_SOURCE(data, '')))
SELECT _segment AS segment, _threshold AS threshold, _tp AS tp, _fp AS fp, _fn AS fn, _tn AS tn FROM (SELECT '' AS _system, _segment, CAST(TRY_CAST(threshold AS DOUBLE) AS DOUBLE) AS _threshold, SUM(CASE WHEN _score >= TRY_CAST(threshold AS DOUBLE) THEN _weight * _label ELSE 0e0 END) AS _tp, SUM(CASE WHEN _score >= TRY_CAST(threshold AS DOUBLE) THEN _weight * (1 - _label) ELSE 0e0 END) AS _fp, SUM(CASE WHEN _score >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE _weight * _label END) AS _fn, SUM(CASE WHEN _score >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE _weight * (1 - _label) END) AS _tn FROM (SELECT '' AS _system, _segment, CASE WHEN _label > 0 THEN 1e0 ELSE 0e0 END AS _label, _score, _weight AS _weight FROM _duckmetrics_predictions WHERE _weight > 0) AS _duckmetrics_labeled GROUP BY _segment) AS _duckmetrics_confusion CROSS JOIN (SELECT CASE WHEN COUNT(*) > 0 THEN ERROR('duckmetrics: ' || COALESCE(ARG_MIN(_problem, _place), 'the input cannot be evaluated')) ELSE TRUE END AS _fine FROM (SELECT 'data: no rows; check how they were exported' AS _problem, 0 AS _place WHERE NOT EXISTS(SELECT 1 FROM _duckmetrics_predictions) UNION ALL SELECT _problem, 1 AS _place FROM (SELECT CASE WHEN CAST(threshold AS TEXT) IS DISTINCT FROM CAST(0.5e0 AS TEXT) AND COUNT(*) FILTER(WHERE COALESCE(TRUE AND ISFINITE(TRY_CAST(threshold AS DOUBLE)), FALSE)) = 0 THEN 'threshold cannot be ''' || COALESCE(CAST(threshold AS TEXT), 'NULL') || ''' for what is asked; it must be a number' WHEN COUNT(*) FILTER(WHERE threshold IS NULL AND TRUE) > 0 THEN 'threshold is missing; give it a number' END AS _problem FROM (SELECT 'confusion' AS _measure) AS _duckmetrics_specs) AS _duckmetrics_given WHERE NOT _problem IS NULL UNION ALL SELECT CASE WHEN _label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0) THEN 'predictions.label: rows with the label -1 beside others with 0, so that the negative class is unclear' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop one of the two or make them one class' WHEN _weight IS NULL THEN 'predictions.weight: rows whose weight is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); give them a weight, 0 leaves a row out' WHEN ISNAN(_label) OR ISINF(_label) THEN 'predictions.label: rows whose label is NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows' WHEN ISNAN(_score) THEN 'predictions.score: rows whose score is NaN, which would sort above every number' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _label IS NULL THEN 'predictions.label: rows whose label is NULL' || ' (score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows, or say what a missing label means' WHEN _score IS NULL THEN 'predictions.score: rows whose score is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _system IS NULL THEN 'predictions.system: rows with no system' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or give them a name' WHEN NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label) THEN 'predictions.label: rows whose label is none of 0, 1, -1, true and false' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); make it 0 or 1, as in CAST(rating >= 4 AS INTEGER)' WHEN _weight < 0 OR ISNAN(_weight) OR ISINF(_weight) THEN 'predictions.weight: rows whose weight is negative, NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || ', weight=' || COALESCE(CAST(_weight AS TEXT), 'NULL') || '); mend them, 0 leaves a row out' END AS _problem, 2 AS _place FROM _duckmetrics_predictions WHERE (_label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0)) OR (_weight IS NULL) OR (ISNAN(_label) OR ISINF(_label)) OR (ISNAN(_score)) OR (_label IS NULL) OR (_score IS NULL) OR (_system IS NULL) OR (NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label)) OR (_weight < 0 OR ISNAN(_weight) OR ISINF(_weight))) AS _duckmetrics_problems) AS _duckmetrics_checked WHERE _fine ORDER BY _segment ASC NULLS LAST
);
CREATE OR REPLACE TEMP MACRO gains_curve(data, label, score, per := NULL, bins := 10, weight := NULL) AS TABLE (
WITH _duckmetrics_predictions AS (SELECT '' AS _system, per AS _segment, DUCKMETRICS_FN_GRADE(label, 'the label') AS _label, DUCKMETRICS_FN_NUMBER(score, 'the score') AS _score, CASE WHEN TYPEOF(weight) = '"NULL"' THEN 1e0 ELSE DUCKMETRICS_FN_NUMBER(weight, 'the weight') END AS _weight, NULL AS _group_id FROM QUERY(DUCKMETRICS_FN_SOURCE(data, '')))
SELECT _segment AS segment, _share AS share, _threshold AS threshold, _gain AS gain, _lift AS lift FROM (SELECT '' AS _system, _duckmetrics_placed._segment, _duckmetrics_slots._cut / CAST(TRY_CAST(bins AS INT) AS DOUBLE) AS _share, _duckmetrics_placed._score AS _threshold, (_duckmetrics_placed._tp - _duckmetrics_placed._positives + _duckmetrics_placed._positives * LEAST((_duckmetrics_slots._cut * _duckmetrics_placed._total / TRY_CAST(bins AS INT) - _duckmetrics_placed._before) / NULLIF(_duckmetrics_placed._upto - _duckmetrics_placed._before, 0), 1)) / NULLIF(_duckmetrics_placed._p, 0) AS _gain, (_duckmetrics_placed._tp - _duckmetrics_placed._positives + _duckmetrics_placed._positives * LEAST((_duckmetrics_slots._cut * _duckmetrics_placed._total / TRY_CAST(bins AS INT) - _duckmetrics_placed._before) / NULLIF(_duckmetrics_placed._upto - _duckmetrics_placed._before, 0), 1)) / NULLIF(_duckmetrics_placed._p, 0) * TRY_CAST(bins AS INT) / _duckmetrics_slots._cut AS _lift FROM (SELECT '' AS _system, _segment, _score, _positives, _tp, _p, _total, _upto, _cuts, COALESCE(LAG(_upto) OVER (PARTITION BY _segment ORDER BY _score DESC NULLS LAST), 0) AS _before, COALESCE(LAG(_cuts) OVER (PARTITION BY _segment ORDER BY _score DESC NULLS LAST), 0) AS _cuts_before FROM (SELECT '' AS _system, _segment, _score, _positives, _tp, _p, _p + _n AS _total, _tp + _fp AS _upto, CASE WHEN _tp + _fp >= _p + _n THEN TRY_CAST(bins AS INT) ELSE FLOOR((_tp + _fp) * TRY_CAST(bins AS INT) / NULLIF(_p + _n, 0)) END AS _cuts FROM (SELECT '' AS _system, _segment, _score, _positives, _negatives, _tp, _fp, MAX(_tp) OVER (PARTITION BY _segment) AS _p, MAX(_fp) OVER (PARTITION BY _segment) AS _n FROM (SELECT '' AS _system, _segment, _score, _positives, _negatives, SUM(_positives) OVER (PARTITION BY _segment ORDER BY _score DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _tp, SUM(_negatives) OVER (PARTITION BY _segment ORDER BY _score DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _fp FROM (SELECT '' AS _system, _segment, _score, SUM(_weight * _label) AS _positives, SUM(_weight * (1 - _label)) AS _negatives FROM (SELECT '' AS _system, _segment, CASE WHEN _label > 0 THEN 1e0 ELSE 0e0 END AS _label, _score, _weight AS _weight FROM _duckmetrics_predictions WHERE _weight > 0) AS _duckmetrics_labeled GROUP BY _segment, _score) AS _duckmetrics_score_groups) AS _duckmetrics_cumulated) AS _duckmetrics_thresholds) AS _duckmetrics_reached) AS _duckmetrics_placed JOIN RANGE(1, TRY_CAST(bins AS INT) + 1) AS _duckmetrics_slots(_cut) ON _duckmetrics_slots._cut > _duckmetrics_placed._cuts_before AND _duckmetrics_slots._cut <= _duckmetrics_placed._cuts) AS _duckmetrics_gains_curve CROSS JOIN (SELECT CASE WHEN COUNT(*) > 0 THEN ERROR('duckmetrics: ' || COALESCE(ARG_MIN(_problem, _place), 'the input cannot be evaluated')) ELSE TRUE END AS _fine FROM (SELECT 'data: no rows; check how they were exported' AS _problem, 0 AS _place WHERE NOT EXISTS(SELECT 1 FROM _duckmetrics_predictions) UNION ALL SELECT _problem, 1 AS _place FROM (SELECT CASE WHEN CAST(bins AS TEXT) IS DISTINCT FROM CAST(10 AS TEXT) AND COUNT(*) FILTER(WHERE COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 0), FALSE)) = 0 THEN 'bins cannot be ''' || COALESCE(CAST(bins AS TEXT), 'NULL') || ''' for what is asked; it must be a whole number and bins > 0' WHEN COUNT(*) FILTER(WHERE bins IS NULL AND TRUE) > 0 THEN 'bins is missing; give it a whole number' END AS _problem FROM (SELECT 'gains_curve' AS _measure) AS _duckmetrics_specs) AS _duckmetrics_given WHERE NOT _problem IS NULL UNION ALL SELECT CASE WHEN _label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0) THEN 'predictions.label: rows with the label -1 beside others with 0, so that the negative class is unclear' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop one of the two or make them one class' WHEN _weight IS NULL THEN 'predictions.weight: rows whose weight is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); give them a weight, 0 leaves a row out' WHEN ISNAN(_label) OR ISINF(_label) THEN 'predictions.label: rows whose label is NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows' WHEN ISNAN(_score) THEN 'predictions.score: rows whose score is NaN, which would sort above every number' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _label IS NULL THEN 'predictions.label: rows whose label is NULL' || ' (score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows, or say what a missing label means' WHEN _score IS NULL THEN 'predictions.score: rows whose score is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _system IS NULL THEN 'predictions.system: rows with no system' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or give them a name' WHEN NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label) THEN 'predictions.label: rows whose label is none of 0, 1, -1, true and false' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); make it 0 or 1, as in CAST(rating >= 4 AS INTEGER)' WHEN _weight < 0 OR ISNAN(_weight) OR ISINF(_weight) THEN 'predictions.weight: rows whose weight is negative, NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || ', weight=' || COALESCE(CAST(_weight AS TEXT), 'NULL') || '); mend them, 0 leaves a row out' END AS _problem, 2 AS _place FROM _duckmetrics_predictions WHERE (_label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0)) OR (_weight IS NULL) OR (ISNAN(_label) OR ISINF(_label)) OR (ISNAN(_score)) OR (_label IS NULL) OR (_score IS NULL) OR (_system IS NULL) OR (NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label)) OR (_weight < 0 OR ISNAN(_weight) OR ISINF(_weight))) AS _duckmetrics_problems) AS _duckmetrics_checked WHERE _fine ORDER BY _segment ASC NULLS LAST, _share ASC NULLS LAST
);
CREATE OR REPLACE TEMP MACRO group_auc(data, label, score, group_id, per := NULL) AS TABLE (
WITH _duckmetrics_predictions AS (SELECT '' AS _system, per AS _segment, DUCKMETRICS_FN_GRADE(label, 'the label') AS _label, DUCKMETRICS_FN_NUMBER(score, 'the score') AS _score, CASE WHEN TYPEOF(NULL) = '"NULL"' THEN 1e0 ELSE DUCKMETRICS_FN_NUMBER(NULL, 'the weight') END AS _weight, group_id AS _group_id FROM QUERY(DUCKMETRICS_FN_SOURCE(data, ''))),
_duckmetrics_specs AS (SELECT 'group_auc' AS _measure)
SELECT _segment AS segment, _group_id AS group_id, _positives AS positives, _negatives AS negatives, _auc AS auc FROM (SELECT '' AS _system, _segment, _group_id, _positives, _negatives, (_won + _tied / 2) / NULLIF(_positives * _negatives, 0) AS _auc FROM (SELECT '' AS _system, _duckmetrics_places._segment, _duckmetrics_places._group_id, SUM(_duckmetrics_places._label) AS _positives, SUM(1 - _duckmetrics_places._label) AS _negatives, (SUM(_duckmetrics_places._label * (_duckmetrics_places._first_rank + FLOOR(_duckmetrics_places._share_upto * _duckmetrics_places._group_size + 0.5e0))) - SUM(_duckmetrics_places._label) * (SUM(_duckmetrics_places._label) + 1)) / 2 AS _won, 0e0 AS _tied FROM (SELECT '' AS _system, _segment, _group_id, _label, RANK() OVER (PARTITION BY _segment, _group_id ORDER BY _score ASC NULLS LAST) AS _first_rank, CUME_DIST() OVER (PARTITION BY _segment, _group_id ORDER BY _score ASC NULLS LAST) AS _share_upto, COUNT(*) OVER (PARTITION BY _segment, _group_id) AS _group_size FROM (SELECT '' AS _system, _segment, _group_id AS _group_id, CASE WHEN _label > 0 THEN 1e0 ELSE 0e0 END AS _label, _score, _weight AS _weight FROM _duckmetrics_predictions WHERE _weight > 0) AS _duckmetrics_labeled) AS _duckmetrics_places JOIN (SELECT '' AS _system, _segment FROM _duckmetrics_predictions WHERE _weight > 0 GROUP BY _segment) AS _duckmetrics_segments ON _duckmetrics_segments._segment IS NOT DISTINCT FROM _duckmetrics_places._segment GROUP BY _duckmetrics_places._segment, _duckmetrics_places._group_id) AS _duckmetrics_pairs) AS _duckmetrics_group_auc CROSS JOIN (SELECT CASE WHEN COUNT(*) > 0 THEN ERROR('duckmetrics: ' || COALESCE(ARG_MIN(_problem, _place), 'the input cannot be evaluated')) ELSE TRUE END AS _fine FROM (SELECT 'data: no rows; check how they were exported' AS _problem, 0 AS _place WHERE NOT EXISTS(SELECT 1 FROM _duckmetrics_predictions) UNION ALL SELECT CASE WHEN _label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0) THEN 'predictions.label: rows with the label -1 beside others with 0, so that the negative class is unclear' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop one of the two or make them one class' WHEN _group_id IS NULL THEN 'predictions.group_id: rows whose group is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or give them a group' WHEN _weight IS NULL THEN 'predictions.weight: rows whose weight is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); give them a weight, 0 leaves a row out' WHEN ISNAN(_label) OR ISINF(_label) THEN 'predictions.label: rows whose label is NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows' WHEN ISNAN(_score) THEN 'predictions.score: rows whose score is NaN, which would sort above every number' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _label IS NULL THEN 'predictions.label: rows whose label is NULL' || ' (score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows, or say what a missing label means' WHEN _score IS NULL THEN 'predictions.score: rows whose score is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _system IS NULL THEN 'predictions.system: rows with no system' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or give them a name' WHEN NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label) THEN 'predictions.label: rows whose label is none of 0, 1, -1, true and false' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); make it 0 or 1, as in CAST(rating >= 4 AS INTEGER)' WHEN _weight < 0 OR ISNAN(_weight) OR ISINF(_weight) THEN 'predictions.weight: rows whose weight is negative, NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || ', weight=' || COALESCE(CAST(_weight AS TEXT), 'NULL') || '); mend them, 0 leaves a row out' END AS _problem, 1 AS _place FROM _duckmetrics_predictions WHERE (_label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0)) OR (_group_id IS NULL) OR (_weight IS NULL) OR (ISNAN(_label) OR ISINF(_label)) OR (ISNAN(_score)) OR (_label IS NULL) OR (_score IS NULL) OR (_system IS NULL) OR (NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label)) OR (_weight < 0 OR ISNAN(_weight) OR ISINF(_weight))) AS _duckmetrics_problems) AS _duckmetrics_checked WHERE _fine ORDER BY _segment ASC NULLS LAST, _group_id ASC NULLS LAST
),
(data, label, score, group_id, weight, per := NULL) AS TABLE (
WITH _duckmetrics_predictions AS (SELECT '' AS _system, per AS _segment, DUCKMETRICS_FN_GRADE(label, 'the label') AS _label, DUCKMETRICS_FN_NUMBER(score, 'the score') AS _score, CASE WHEN TYPEOF(weight) = '"NULL"' THEN 1e0 ELSE DUCKMETRICS_FN_NUMBER(weight, 'the weight') END AS _weight, group_id AS _group_id FROM QUERY(DUCKMETRICS_FN_SOURCE(data, ''))),
_duckmetrics_specs AS (SELECT 'group_auc' AS _measure)
SELECT _segment AS segment, _group_id AS group_id, _positives AS positives, _negatives AS negatives, _auc AS auc FROM (SELECT '' AS _system, _segment, _group_id, _positives, _negatives, (_won + _tied / 2) / NULLIF(_positives * _negatives, 0) AS _auc FROM (SELECT '' AS _system, _segment, _group_id, SUM(_positives) AS _positives, SUM(_negatives) AS _negatives, SUM(_positives * (_n - _fp)) AS _won, SUM(_positives * _negatives) AS _tied FROM (SELECT '' AS _system, _segment, _group_id, _score, _positives, _negatives, _fp, MAX(_fp) OVER (PARTITION BY _segment, _group_id) AS _n FROM (SELECT '' AS _system, _segment, _group_id, _score, _positives, _negatives, SUM(_negatives) OVER (PARTITION BY _segment, _group_id ORDER BY _score DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _fp FROM (SELECT '' AS _system, _segment, _group_id, _score, SUM(_weight * _label) AS _positives, SUM(_weight * (1 - _label)) AS _negatives FROM (SELECT '' AS _system, _segment, _group_id AS _group_id, CASE WHEN _label > 0 THEN 1e0 ELSE 0e0 END AS _label, _score, _weight AS _weight FROM _duckmetrics_predictions WHERE _weight > 0) AS _duckmetrics_labeled GROUP BY _segment, _group_id, _score) AS _duckmetrics_score_groups) AS _duckmetrics_cumulated) AS _duckmetrics_thresholds GROUP BY _segment, _group_id) AS _duckmetrics_pairs) AS _duckmetrics_group_auc CROSS JOIN (SELECT CASE WHEN COUNT(*) > 0 THEN ERROR('duckmetrics: ' || COALESCE(ARG_MIN(_problem, _place), 'the input cannot be evaluated')) ELSE TRUE END AS _fine FROM (SELECT 'data: no rows; check how they were exported' AS _problem, 0 AS _place WHERE NOT EXISTS(SELECT 1 FROM _duckmetrics_predictions) UNION ALL SELECT CASE WHEN _label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0) THEN 'predictions.label: rows with the label -1 beside others with 0, so that the negative class is unclear' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop one of the two or make them one class' WHEN _group_id IS NULL THEN 'predictions.group_id: rows whose group is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or give them a group' WHEN _weight IS NULL THEN 'predictions.weight: rows whose weight is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); give them a weight, 0 leaves a row out' WHEN ISNAN(_label) OR ISINF(_label) THEN 'predictions.label: rows whose label is NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows' WHEN ISNAN(_score) THEN 'predictions.score: rows whose score is NaN, which would sort above every number' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _label IS NULL THEN 'predictions.label: rows whose label is NULL' || ' (score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows, or say what a missing label means' WHEN _score IS NULL THEN 'predictions.score: rows whose score is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _system IS NULL THEN 'predictions.system: rows with no system' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or give them a name' WHEN NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label) THEN 'predictions.label: rows whose label is none of 0, 1, -1, true and false' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); make it 0 or 1, as in CAST(rating >= 4 AS INTEGER)' WHEN _weight < 0 OR ISNAN(_weight) OR ISINF(_weight) THEN 'predictions.weight: rows whose weight is negative, NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || ', weight=' || COALESCE(CAST(_weight AS TEXT), 'NULL') || '); mend them, 0 leaves a row out' END AS _problem, 1 AS _place FROM _duckmetrics_predictions WHERE (_label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0)) OR (_group_id IS NULL) OR (_weight IS NULL) OR (ISNAN(_label) OR ISINF(_label)) OR (ISNAN(_score)) OR (_label IS NULL) OR (_score IS NULL) OR (_system IS NULL) OR (NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label)) OR (_weight < 0 OR ISNAN(_weight) OR ISINF(_weight))) AS _duckmetrics_problems) AS _duckmetrics_checked WHERE _fine ORDER BY _segment ASC NULLS LAST, _group_id ASC NULLS LAST
);
CREATE OR REPLACE TEMP MACRO pr_curve(data, label, score, per := NULL, points := NULL, weight := NULL) AS TABLE (
WITH _duckmetrics_predictions AS (SELECT '' AS _system, per AS _segment, DUCKMETRICS_FN_GRADE(label, 'the label') AS _label, DUCKMETRICS_FN_NUMBER(score, 'the score') AS _score, CASE WHEN TYPEOF(weight) = '"NULL"' THEN 1e0 ELSE DUCKMETRICS_FN_NUMBER(weight, 'the weight') END AS _weight, NULL AS _group_id FROM QUERY(DUCKMETRICS_FN_SOURCE(data, '')))
SELECT _segment AS segment, _threshold AS threshold, _tp AS tp, _fp AS fp, _precision AS precision, _recall AS recall, _area AS area FROM (SELECT '' AS _system, _segment, _threshold, _tp, _fp, _tp / NULLIF(_tp + _fp, 0) AS _precision, _tp / NULLIF(_p, 0) AS _recall, _stepped / NULLIF(_p, 0) AS _area FROM (SELECT '' AS _system, _segment, _score AS _threshold, _tp, _fp, _p, SUM(_positives * _tp / NULLIF(_tp + _fp, 0)) OVER (PARTITION BY _segment ORDER BY _score DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _stepped, ROW_NUMBER() OVER (PARTITION BY _segment ORDER BY _score DESC NULLS LAST) - 1 AS _place, COUNT(*) OVER (PARTITION BY _segment) - 1 AS _places FROM (SELECT '' AS _system, _segment, _score, _positives, _negatives, _tp, _fp, MAX(_tp) OVER (PARTITION BY _segment) AS _p FROM (SELECT '' AS _system, _segment, _score, _positives, _negatives, SUM(_positives) OVER (PARTITION BY _segment ORDER BY _score DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _tp, SUM(_negatives) OVER (PARTITION BY _segment ORDER BY _score DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _fp FROM (SELECT '' AS _system, _segment, _score, SUM(_weight * _label) AS _positives, SUM(_weight * (1 - _label)) AS _negatives FROM (SELECT '' AS _system, _segment, CASE WHEN _label > 0 THEN 1e0 ELSE 0e0 END AS _label, _score, _weight AS _weight FROM _duckmetrics_predictions WHERE _weight > 0) AS _duckmetrics_labeled GROUP BY _segment, _score) AS _duckmetrics_score_groups) AS _duckmetrics_cumulated) AS _duckmetrics_thresholds) AS _duckmetrics_scored WHERE TRY_CAST(points AS INT) IS NULL OR _place = 0 OR FLOOR(_place * (TRY_CAST(points AS INT) - 1) / CAST(_places AS DOUBLE)) > FLOOR((_place - 1) * (TRY_CAST(points AS INT) - 1) / CAST(_places AS DOUBLE))) AS _duckmetrics_pr_curve CROSS JOIN (SELECT CASE WHEN COUNT(*) > 0 THEN ERROR('duckmetrics: ' || COALESCE(ARG_MIN(_problem, _place), 'the input cannot be evaluated')) ELSE TRUE END AS _fine FROM (SELECT 'data: no rows; check how they were exported' AS _problem, 0 AS _place WHERE NOT EXISTS(SELECT 1 FROM _duckmetrics_predictions) UNION ALL SELECT _problem, 1 AS _place FROM (SELECT CASE WHEN CAST(points AS TEXT) IS DISTINCT FROM CAST(NULL AS TEXT) AND COUNT(*) FILTER(WHERE (points IS NULL OR COALESCE(TRUE AND (ISFINITE(TRY_CAST(points AS DOUBLE)) AND TRY_CAST(points AS DOUBLE) = FLOOR(TRY_CAST(points AS DOUBLE))) AND (TRY_CAST(points AS INT) > 1), FALSE))) = 0 THEN 'points cannot be ''' || COALESCE(CAST(points AS TEXT), 'NULL') || ''' for what is asked; it must be a whole number and points > 1' END AS _problem FROM (SELECT 'pr_curve' AS _measure) AS _duckmetrics_specs) AS _duckmetrics_given WHERE NOT _problem IS NULL UNION ALL SELECT CASE WHEN _label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0) THEN 'predictions.label: rows with the label -1 beside others with 0, so that the negative class is unclear' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop one of the two or make them one class' WHEN _weight IS NULL THEN 'predictions.weight: rows whose weight is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); give them a weight, 0 leaves a row out' WHEN ISNAN(_label) OR ISINF(_label) THEN 'predictions.label: rows whose label is NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows' WHEN ISNAN(_score) THEN 'predictions.score: rows whose score is NaN, which would sort above every number' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _label IS NULL THEN 'predictions.label: rows whose label is NULL' || ' (score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows, or say what a missing label means' WHEN _score IS NULL THEN 'predictions.score: rows whose score is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _system IS NULL THEN 'predictions.system: rows with no system' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or give them a name' WHEN NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label) THEN 'predictions.label: rows whose label is none of 0, 1, -1, true and false' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); make it 0 or 1, as in CAST(rating >= 4 AS INTEGER)' WHEN _weight < 0 OR ISNAN(_weight) OR ISINF(_weight) THEN 'predictions.weight: rows whose weight is negative, NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || ', weight=' || COALESCE(CAST(_weight AS TEXT), 'NULL') || '); mend them, 0 leaves a row out' END AS _problem, 2 AS _place FROM _duckmetrics_predictions WHERE (_label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0)) OR (_weight IS NULL) OR (ISNAN(_label) OR ISINF(_label)) OR (ISNAN(_score)) OR (_label IS NULL) OR (_score IS NULL) OR (_system IS NULL) OR (NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label)) OR (_weight < 0 OR ISNAN(_weight) OR ISINF(_weight))) AS _duckmetrics_problems) AS _duckmetrics_checked WHERE _fine ORDER BY _segment ASC NULLS LAST, _threshold DESC NULLS LAST
);
CREATE OR REPLACE TEMP MACRO roc_curve(data, label, score, per := NULL, points := NULL, weight := NULL) AS TABLE (
WITH _duckmetrics_predictions AS (SELECT '' AS _system, per AS _segment, DUCKMETRICS_FN_GRADE(label, 'the label') AS _label, DUCKMETRICS_FN_NUMBER(score, 'the score') AS _score, CASE WHEN TYPEOF(weight) = '"NULL"' THEN 1e0 ELSE DUCKMETRICS_FN_NUMBER(weight, 'the weight') END AS _weight, NULL AS _group_id FROM QUERY(DUCKMETRICS_FN_SOURCE(data, ''))),
_duckmetrics_scored AS (SELECT '' AS _system, _segment, _score AS _threshold, _tp, _fp, _p, _n, SUM(_negatives * (2 * _tp - _positives) / 2) OVER (PARTITION BY _segment ORDER BY _score DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _won, ROW_NUMBER() OVER (PARTITION BY _segment ORDER BY _score DESC NULLS LAST) AS _place, COUNT(*) OVER (PARTITION BY _segment) AS _places FROM (SELECT '' AS _system, _segment, _score, _positives, _negatives, _tp, _fp, MAX(_tp) OVER (PARTITION BY _segment) AS _p, MAX(_fp) OVER (PARTITION BY _segment) AS _n FROM (SELECT '' AS _system, _segment, _score, _positives, _negatives, SUM(_positives) OVER (PARTITION BY _segment ORDER BY _score DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _tp, SUM(_negatives) OVER (PARTITION BY _segment ORDER BY _score DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _fp FROM (SELECT '' AS _system, _segment, _score, SUM(_weight * _label) AS _positives, SUM(_weight * (1 - _label)) AS _negatives FROM (SELECT '' AS _system, _segment, CASE WHEN _label > 0 THEN 1e0 ELSE 0e0 END AS _label, _score, _weight AS _weight FROM _duckmetrics_predictions WHERE _weight > 0) AS _duckmetrics_labeled GROUP BY _segment, _score) AS _duckmetrics_score_groups) AS _duckmetrics_cumulated) AS _duckmetrics_thresholds)
SELECT _segment AS segment, _threshold AS threshold, _tp AS tp, _fp AS fp, _tpr AS tpr, _fpr AS fpr, _area AS area FROM (SELECT '' AS _system, _segment, _threshold, _tp, _fp, _tp / NULLIF(_p, 0) AS _tpr, _fp / NULLIF(_n, 0) AS _fpr, _won / NULLIF(_p * _n, 0) AS _area FROM (SELECT '' AS _system, _segment, _threshold, _tp, _fp, _p, _n, _won, _place, _places FROM _duckmetrics_scored UNION ALL SELECT '' AS _system, _segment, CAST('Infinity' AS DOUBLE), 0e0, 0e0, _p, _n, 0e0, 0, _places FROM _duckmetrics_scored WHERE _place = 1) AS _duckmetrics_started WHERE TRY_CAST(points AS INT) IS NULL OR _place = 0 OR FLOOR(_place * (TRY_CAST(points AS INT) - 1) / CAST(_places AS DOUBLE)) > FLOOR((_place - 1) * (TRY_CAST(points AS INT) - 1) / CAST(_places AS DOUBLE))) AS _duckmetrics_roc_curve CROSS JOIN (SELECT CASE WHEN COUNT(*) > 0 THEN ERROR('duckmetrics: ' || COALESCE(ARG_MIN(_problem, _place), 'the input cannot be evaluated')) ELSE TRUE END AS _fine FROM (SELECT 'data: no rows; check how they were exported' AS _problem, 0 AS _place WHERE NOT EXISTS(SELECT 1 FROM _duckmetrics_predictions) UNION ALL SELECT _problem, 1 AS _place FROM (SELECT CASE WHEN CAST(points AS TEXT) IS DISTINCT FROM CAST(NULL AS TEXT) AND COUNT(*) FILTER(WHERE (points IS NULL OR COALESCE(TRUE AND (ISFINITE(TRY_CAST(points AS DOUBLE)) AND TRY_CAST(points AS DOUBLE) = FLOOR(TRY_CAST(points AS DOUBLE))) AND (TRY_CAST(points AS INT) > 1), FALSE))) = 0 THEN 'points cannot be ''' || COALESCE(CAST(points AS TEXT), 'NULL') || ''' for what is asked; it must be a whole number and points > 1' END AS _problem FROM (SELECT 'roc_curve' AS _measure) AS _duckmetrics_specs) AS _duckmetrics_given WHERE NOT _problem IS NULL UNION ALL SELECT CASE WHEN _label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0) THEN 'predictions.label: rows with the label -1 beside others with 0, so that the negative class is unclear' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop one of the two or make them one class' WHEN _weight IS NULL THEN 'predictions.weight: rows whose weight is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); give them a weight, 0 leaves a row out' WHEN ISNAN(_label) OR ISINF(_label) THEN 'predictions.label: rows whose label is NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows' WHEN ISNAN(_score) THEN 'predictions.score: rows whose score is NaN, which would sort above every number' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _label IS NULL THEN 'predictions.label: rows whose label is NULL' || ' (score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows, or say what a missing label means' WHEN _score IS NULL THEN 'predictions.score: rows whose score is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _system IS NULL THEN 'predictions.system: rows with no system' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or give them a name' WHEN NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label) THEN 'predictions.label: rows whose label is none of 0, 1, -1, true and false' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); make it 0 or 1, as in CAST(rating >= 4 AS INTEGER)' WHEN _weight < 0 OR ISNAN(_weight) OR ISINF(_weight) THEN 'predictions.weight: rows whose weight is negative, NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || ', weight=' || COALESCE(CAST(_weight AS TEXT), 'NULL') || '); mend them, 0 leaves a row out' END AS _problem, 2 AS _place FROM _duckmetrics_predictions WHERE (_label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0)) OR (_weight IS NULL) OR (ISNAN(_label) OR ISINF(_label)) OR (ISNAN(_score)) OR (_label IS NULL) OR (_score IS NULL) OR (_system IS NULL) OR (NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label)) OR (_weight < 0 OR ISNAN(_weight) OR ISINF(_weight))) AS _duckmetrics_problems) AS _duckmetrics_checked WHERE _fine ORDER BY _segment ASC NULLS LAST, _threshold DESC NULLS LAST, _fp ASC NULLS LAST
);
CREATE OR REPLACE TEMP MACRO threshold_table(data, label, score, per := NULL, points := 11, weight := NULL) AS TABLE (
WITH _duckmetrics_predictions AS (SELECT '' AS _system, per AS _segment, DUCKMETRICS_FN_GRADE(label, 'the label') AS _label, DUCKMETRICS_FN_NUMBER(score, 'the score') AS _score, CASE WHEN TYPEOF(weight) = '"NULL"' THEN 1e0 ELSE DUCKMETRICS_FN_NUMBER(weight, 'the weight') END AS _weight, NULL AS _group_id FROM QUERY(DUCKMETRICS_FN_SOURCE(data, '')))
SELECT _segment AS segment, _threshold AS threshold, _tp AS tp, _fp AS fp, _fn AS fn, _tn AS tn, _precision AS precision, _recall AS recall, _specificity AS specificity, _f1 AS f1, _accuracy AS accuracy FROM (SELECT '' AS _system, _segment, _threshold, _tp, _fp, _p - _tp AS _fn, _n - _fp AS _tn, _tp / NULLIF(_tp + _fp, 0) AS _precision, _tp / NULLIF(_p, 0) AS _recall, (_n - _fp) / NULLIF(_n, 0) AS _specificity, 2 * _tp / NULLIF(_tp + _fp + _p, 0) AS _f1, (_tp + _n - _fp) / NULLIF(_p + _n, 0) AS _accuracy FROM (SELECT '' AS _system, _duckmetrics_slots._segment, _duckmetrics_slots._step / CAST(TRY_CAST(points AS INT) - 1 AS DOUBLE) AS _threshold, SUM(COALESCE(_duckmetrics_counted._positives, 0)) OVER (PARTITION BY _duckmetrics_slots._segment ORDER BY _duckmetrics_slots._step DESC NULLS LAST) AS _tp, SUM(COALESCE(_duckmetrics_counted._negatives, 0)) OVER (PARTITION BY _duckmetrics_slots._segment ORDER BY _duckmetrics_slots._step DESC NULLS LAST) AS _fp, SUM(COALESCE(_duckmetrics_counted._positives, 0)) OVER (PARTITION BY _duckmetrics_slots._segment) AS _p, SUM(COALESCE(_duckmetrics_counted._negatives, 0)) OVER (PARTITION BY _duckmetrics_slots._segment) AS _n FROM (SELECT '' AS _system, _duckmetrics_segments._segment, _duckmetrics_slots._step FROM (SELECT '' AS _system, _segment, COUNT(*) AS _n FROM _duckmetrics_predictions WHERE _weight > 0 GROUP BY _segment) AS _duckmetrics_segments CROSS JOIN RANGE(0, TRY_CAST(points AS INT)) AS _duckmetrics_slots(_step)) AS _duckmetrics_slots LEFT JOIN (SELECT '' AS _system, _segment, _step, SUM(_weight * _label) AS _positives, SUM(_weight * (1 - _label)) AS _negatives FROM (SELECT '' AS _system, _segment, _label, _weight, CASE WHEN _score >= (FLOOR(_score * (TRY_CAST(points AS INT) - 1)) + 1) / (TRY_CAST(points AS INT) - 1) THEN FLOOR(_score * (TRY_CAST(points AS INT) - 1)) + 1 WHEN _score < FLOOR(_score * (TRY_CAST(points AS INT) - 1)) / (TRY_CAST(points AS INT) - 1) THEN FLOOR(_score * (TRY_CAST(points AS INT) - 1)) - 1 ELSE FLOOR(_score * (TRY_CAST(points AS INT) - 1)) END AS _step FROM (SELECT '' AS _system, _segment, CASE WHEN _label > 0 THEN 1e0 ELSE 0e0 END AS _label, _score, _weight AS _weight FROM _duckmetrics_predictions WHERE _weight > 0) AS _duckmetrics_labeled) AS _duckmetrics_stepped GROUP BY _segment, _step) AS _duckmetrics_counted ON _duckmetrics_counted._segment IS NOT DISTINCT FROM _duckmetrics_slots._segment AND _duckmetrics_counted._step = _duckmetrics_slots._step) AS _duckmetrics_counts) AS _duckmetrics_threshold_table CROSS JOIN (SELECT CASE WHEN COUNT(*) > 0 THEN ERROR('duckmetrics: ' || COALESCE(ARG_MIN(_problem, _place), 'the input cannot be evaluated')) ELSE TRUE END AS _fine FROM (SELECT 'data: no rows; check how they were exported' AS _problem, 0 AS _place WHERE NOT EXISTS(SELECT 1 FROM _duckmetrics_predictions) UNION ALL SELECT _problem, 1 AS _place FROM (SELECT CASE WHEN CAST(points AS TEXT) IS DISTINCT FROM CAST(11 AS TEXT) AND COUNT(*) FILTER(WHERE COALESCE(TRUE AND (ISFINITE(TRY_CAST(points AS DOUBLE)) AND TRY_CAST(points AS DOUBLE) = FLOOR(TRY_CAST(points AS DOUBLE))) AND (TRY_CAST(points AS INT) > 1), FALSE)) = 0 THEN 'points cannot be ''' || COALESCE(CAST(points AS TEXT), 'NULL') || ''' for what is asked; it must be a whole number and points > 1' WHEN COUNT(*) FILTER(WHERE points IS NULL AND TRUE) > 0 THEN 'points is missing; give it a whole number' END AS _problem FROM (SELECT 'threshold_table' AS _measure) AS _duckmetrics_specs) AS _duckmetrics_given WHERE NOT _problem IS NULL UNION ALL SELECT CASE WHEN _label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0) THEN 'predictions.label: rows with the label -1 beside others with 0, so that the negative class is unclear' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop one of the two or make them one class' WHEN (_score < 0 OR _score > 1) AND NOT ISNAN(_score) THEN 'predictions.score: rows whose score lies outside of [0, 1], so it is no probability' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); apply the sigmoid or calibrate it first; metrics such as auc take any score' WHEN _weight IS NULL THEN 'predictions.weight: rows whose weight is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); give them a weight, 0 leaves a row out' WHEN ISNAN(_label) OR ISINF(_label) THEN 'predictions.label: rows whose label is NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows' WHEN ISNAN(_score) THEN 'predictions.score: rows whose score is NaN, which would sort above every number' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _label IS NULL THEN 'predictions.label: rows whose label is NULL' || ' (score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows, or say what a missing label means' WHEN _score IS NULL THEN 'predictions.score: rows whose score is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _system IS NULL THEN 'predictions.system: rows with no system' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or give them a name' WHEN NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label) THEN 'predictions.label: rows whose label is none of 0, 1, -1, true and false' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); make it 0 or 1, as in CAST(rating >= 4 AS INTEGER)' WHEN _weight < 0 OR ISNAN(_weight) OR ISINF(_weight) THEN 'predictions.weight: rows whose weight is negative, NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || ', weight=' || COALESCE(CAST(_weight AS TEXT), 'NULL') || '); mend them, 0 leaves a row out' END AS _problem, 2 AS _place FROM _duckmetrics_predictions WHERE (_label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0)) OR ((_score < 0 OR _score > 1) AND NOT ISNAN(_score)) OR (_weight IS NULL) OR (ISNAN(_label) OR ISINF(_label)) OR (ISNAN(_score)) OR (_label IS NULL) OR (_score IS NULL) OR (_system IS NULL) OR (NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label)) OR (_weight < 0 OR ISNAN(_weight) OR ISINF(_weight))) AS _duckmetrics_problems) AS _duckmetrics_checked WHERE _fine ORDER BY _segment ASC NULLS LAST, _threshold ASC NULLS LAST
);
CREATE OR REPLACE TEMP MACRO duckmetrics_help(pattern := '') AS TABLE (
WITH told AS (SELECT DISTINCT function_name AS name, CASE function_type WHEN 'table_macro' THEN 'table' ELSE 'value' END AS kind, STR_SPLIT(comment, CHR(10)) AS lines FROM DUCKDB_FUNCTIONS() WHERE STARTS_WITH(comment, 'duckmetrics')),
wanted AS (SELECT name, kind, UNNEST(lines) AS line, UNNEST(RANGE(0, LENGTH(lines))) AS place FROM told WHERE name = LOWER(pattern) UNION ALL SELECT name, kind, lines[2] AS line, 1 AS place FROM told WHERE name <> LOWER(pattern) AND (CONTAINS(name, LOWER(pattern)) OR CONTAINS(LOWER(lines[2]), LOWER(pattern))))
SELECT name, kind, SPLIT_PART(line, ': ', 1) AS topic, REGEXP_REPLACE(line, '^[^:]*: ', '') AS about FROM wanted WHERE place > 0 ORDER BY name <> LOWER(pattern) ASC NULLS LAST, name ASC NULLS LAST, kind ASC NULLS LAST, place ASC NULLS LAST
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_beta_fraction(a, b, x, y) AS (
CASE WHEN NOT (a BETWEEN 1e-100 AND 1e100 AND b BETWEEN 1e-100 AND 1e100 AND LEAST(a, b) <= 1e12 AND x BETWEEN 0e0 AND 1e0 AND y > 0e0 AND y <= 1e0) IS TRUE THEN NULL ELSE LIST_REDUCE(LIST_PREPEND(1e0, CAST(RANGE(CAST(100e0 + SQRT(LEAST(a, b)) AS BIGINT), -1, -1) AS DOUBLE[])), LAMBDA below, i : i + CASE WHEN i = 0e0 THEN 0e0 ELSE i * (b - i) * x / (a + 2e0 * i - 1e0) END + (a + i) / (a + 2e0 * i + 1e0) * (a * y - b * x + 1e0 + i * (2e0 - x)) + (a + i) / (a + 2e0 * i + 1e0) * ((a + b + i) / (a + 2e0 * i + 1e0)) * (i + 1e0) * (b - i - 1e0) * x * x / below) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_deviance(observed, expected) AS (
CASE WHEN NOT (observed >= 0e0 AND expected >= 0e0 AND observed + expected <= 1e308) IS TRUE THEN NULL WHEN observed = expected THEN 0e0 WHEN expected = 0e0 THEN CAST('inf' AS DOUBLE) WHEN observed / expected = 0e0 THEN expected WHEN ABS(observed - expected) > 0.25e0 * (observed + expected) THEN observed * LN(observed / expected) + (expected - observed) ELSE (observed - expected) / (observed + expected) * ((observed - expected) + 2e0 * observed * POWER((observed - expected) / (observed + expected), 2e0) * LIST_REDUCE(LIST_PREPEND(0e0, CAST(RANGE(27, 1, -2) AS DOUBLE[])), LAMBDA total, i : 1e0 / i + total * POWER((observed - expected) / (observed + expected), 2e0))) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_log1p(x) AS (
CASE WHEN NOT (x >= -1e0 AND NOT ISNAN(x)) IS TRUE THEN NULL WHEN x = -1e0 THEN CAST('-inf' AS DOUBLE) WHEN x > 1e16 THEN LN(x) WHEN 1e0 + x = 1e0 THEN x ELSE x * (LN(1e0 + x) / ((1e0 + x) - 1e0)) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_stirling_series(x) AS (
CASE WHEN NOT (x >= 16e0 AND NOT ISNAN(x)) IS TRUE THEN NULL ELSE (1e0 / 12e0 - (1e0 / 360e0 - (1e0 / 1260e0 - (1e0 / 1680e0 - 1e0 / 1188e0 / x / x) / x / x) / x / x) / x / x) / x END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_stirling_error(x) AS (
CASE WHEN NOT (x > 0e0 AND NOT ISNAN(x)) IS TRUE THEN NULL WHEN x < 16e0 THEN LIST_SUM(LIST_TRANSFORM(RANGE(0, 16), LAMBDA i : (x + i + 0.5e0) * DUCKMETRICS_FN_LOG1P(1e0 / (x + i)) - 1e0)) /* Sixteen steps up by Gamma(x + 1) = x Gamma(x), to where the series holds. */ + DUCKMETRICS_FN_STIRLING_SERIES(x + 16e0) ELSE DUCKMETRICS_FN_STIRLING_SERIES(x) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_beta_weight(a, b, x, y) AS (
CASE WHEN a BETWEEN 1e-100 AND 1e100 AND b BETWEEN 1e-100 AND 1e100 AND x > 0e0 AND x <= 1e0 AND y > 0e0 AND y <= 1e0 THEN SQRT(1e0 / (2e0 * PI() * (1e0 / a + 1e0 / b))) * EXP(DUCKMETRICS_FN_STIRLING_ERROR(a + b) - DUCKMETRICS_FN_STIRLING_ERROR(a) - DUCKMETRICS_FN_STIRLING_ERROR(b) - DUCKMETRICS_FN_DEVIANCE(a, (a + b) * x) - DUCKMETRICS_FN_DEVIANCE(b, (a + b) * y)) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_incomplete_beta_xy(a, b, x, y) AS (
CASE WHEN NOT (a BETWEEN 1e-100 AND 1e100 AND b BETWEEN 1e-100 AND 1e100 AND LEAST(a, b) <= 1e12 AND x BETWEEN 0e0 AND 1e0 AND y BETWEEN 0e0 AND 1e0) IS TRUE THEN NULL WHEN x = 0e0 THEN 0e0 WHEN y = 0e0 THEN 1e0 ELSE CASE WHEN x < (a + 1e0) / (a + b + 2e0) THEN 0e0 ELSE 1e0 END + DUCKMETRICS_FN_BETA_WEIGHT(a, b, x, y) / CASE WHEN x < (a + 1e0) / (a + b + 2e0) THEN DUCKMETRICS_FN_BETA_FRACTION(a, b, x, y) ELSE -DUCKMETRICS_FN_BETA_FRACTION(b, a, y, x) END END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_binomial_cdf(k, n, p) AS (
CASE WHEN NOT (n BETWEEN 0e0 AND 2e12 AND n = FLOOR(n) AND p BETWEEN 0e0 AND 1e0 AND NOT ISNAN(k)) IS TRUE THEN NULL WHEN k < 0e0 THEN 0e0 WHEN k >= n THEN 1e0 ELSE DUCKMETRICS_FN_INCOMPLETE_BETA_XY(n - FLOOR(k), FLOOR(k) + 1e0, 1e0 - p, p) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_gamma_weight(a, x) AS (
CASE WHEN a BETWEEN 1e-100 AND 1e10 AND x > 0e0 AND x <= 1e300 THEN SQRT(a / (2e0 * PI())) * EXP(-DUCKMETRICS_FN_DEVIANCE(a, x) - DUCKMETRICS_FN_STIRLING_ERROR(a)) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_incomplete_gamma_q(a, x) AS (
CASE WHEN NOT (a BETWEEN 1e-100 AND 1e10 AND x >= 0e0 AND NOT ISNAN(x)) IS TRUE THEN NULL WHEN x = 0e0 THEN 1e0 WHEN x > 1e300 THEN 0e0 WHEN x < a + 1e0 THEN 1e0 - DUCKMETRICS_FN_GAMMA_WEIGHT(a, x) / a * LIST_REDUCE(LIST_PREPEND(1e0, CAST(RANGE(CAST(40e0 + 10e0 * SQRT(a) AS BIGINT), 0, -1) AS DOUBLE[])), LAMBDA inner_sum, i : 1e0 + x / (a + i) * inner_sum) ELSE DUCKMETRICS_FN_GAMMA_WEIGHT(a, x) / LIST_REDUCE(LIST_PREPEND(x, CAST(RANGE(CAST(120e0 + 3e0 * SQRT(a) AS BIGINT), 0, -1) AS DOUBLE[])), LAMBDA below, i : (x + 2e0 * i - 1e0 - a) - i * (i - a) / below) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_chi_square_sf(x, df) AS (
CASE WHEN x < 0e0 AND df BETWEEN 2e-100 AND 2e10 THEN 1e0 ELSE DUCKMETRICS_FN_INCOMPLETE_GAMMA_Q(0.5e0 * df, 0.5e0 * x) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_erf_near_zero(x) AS (
CASE WHEN ABS(x) <= 0.46875e0 THEN LIST_TRANSFORM([x * x], LAMBDA z : x * ((((1.85777706184603153e-1 * z + 3.16112374387056560e0) * z + 1.13864154151050156e2) * z + 3.77485237685302021e2) * z + 3.20937758913846947e3) / ((((z + 2.36012909523441209e1) * z + 2.44024637934444173e2) * z + 1.28261652607737228e3) * z + 2.84423683343917062e3))[1] END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_exp_minus_square(x) AS (
CASE WHEN NOT (NOT ISNAN(x)) IS TRUE THEN NULL WHEN ABS(x) > 27.5e0 THEN 0e0 ELSE EXP(-FLOOR(ABS(x) * 16e0) * FLOOR(ABS(x) * 16e0) / 256e0) * EXP((FLOOR(ABS(x) * 16e0) / 16e0 - ABS(x)) * (FLOOR(ABS(x) * 16e0) / 16e0 + ABS(x))) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_scaled_erfc(x) AS (
CASE WHEN NOT (x > 0.46875e0 AND NOT ISNAN(x)) IS TRUE THEN NULL WHEN x <= 4e0 THEN LIST_TRANSFORM([x], LAMBDA y : ((((((((2.15311535474403846e-8 * y + 5.64188496988670089e-1) * y + 8.88314979438837594e0) * y + 6.61191906371416295e1) * y + 2.98635138197400131e2) * y + 8.81952221241769090e2) * y + 1.71204761263407058e3) * y + 2.05107837782607147e3) * y + 1.23033935479799725e3) / ((((((((y + 1.57449261107098347e1) * y + 1.17693950891312499e2) * y + 5.37181101862009858e2) * y + 1.62138957456669019e3) * y + 3.29079923573345963e3) * y + 4.36261909014324716e3) * y + 3.43936767414372164e3) * y + 1.23033935480374942e3))[1] ELSE LIST_TRANSFORM([1e0 / x / x], LAMBDA z : 5.6418958354775628695e-1 - z * (((((1.63153871373020978e-2 * z + 3.05326634961232344e-1) * z + 3.60344899949804439e-1) * z + 1.25781726111229246e-1) * z + 1.60837851487422766e-2) * z + 6.58749161529837803e-4) / (((((z + 2.56852019228982242e0) * z + 1.87295284992346047e0) * z + 5.27905102951428412e-1) * z + 6.05183413124413191e-2) * z + 2.33520497626869185e-3))[1] / x END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_erfc(x) AS (
CASE WHEN NOT (NOT ISNAN(x)) IS TRUE THEN NULL WHEN ABS(x) <= 0.46875e0 THEN 1e0 - DUCKMETRICS_FN_ERF_NEAR_ZERO(x) WHEN x > 0e0 THEN DUCKMETRICS_FN_EXP_MINUS_SQUARE(x) * DUCKMETRICS_FN_SCALED_ERFC(x) ELSE 2e0 - DUCKMETRICS_FN_EXP_MINUS_SQUARE(x) * DUCKMETRICS_FN_SCALED_ERFC(-x) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_erf(x) AS (
CASE WHEN NOT (NOT ISNAN(x)) IS TRUE THEN NULL WHEN ABS(x) <= 0.46875e0 THEN DUCKMETRICS_FN_ERF_NEAR_ZERO(x) ELSE 1e0 - DUCKMETRICS_FN_ERFC(x) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_f_sf(f, df1, df2) AS (
CASE WHEN NOT (df1 BETWEEN 1e-99 AND 1e99 AND df2 BETWEEN 1e-99 AND 1e99 AND LEAST(df1, df2) <= 1e12 AND NOT ISNAN(f)) IS TRUE THEN NULL WHEN f <= 0e0 THEN 1e0 ELSE DUCKMETRICS_FN_INCOMPLETE_BETA_XY(0.5e0 * df2, 0.5e0 * df1, 1e0 / (1e0 + df1 / df2 * f), 1e0 / (1e0 + df2 / df1 / f)) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_incomplete_beta(a, b, x) AS (
DUCKMETRICS_FN_INCOMPLETE_BETA_XY(a, b, x, 1e0 - x)
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_kolmogorov_sf(x) AS (
CASE WHEN NOT (NOT ISNAN(x)) IS TRUE THEN NULL WHEN x < 0.04e0 THEN 1e0 WHEN x < 0.82e0 THEN 1e0 - SQRT(2e0 * PI()) / x * LIST_SUM(LIST_TRANSFORM(RANGE(1, 14, 2), LAMBDA i : EXP(-i * i * PI() * PI() / (8e0 * x * x)))) ELSE 2e0 * LIST_SUM(LIST_TRANSFORM(RANGE(1, 12), LAMBDA i : CASE i % 2 WHEN 1 THEN 1e0 ELSE -1e0 END * EXP(-2e0 * i * i * x * x))) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_log_beta(a, b) AS (
CASE WHEN NOT (a BETWEEN 1e-100 AND 1e100 AND b BETWEEN 1e-100 AND 1e100) IS TRUE THEN NULL ELSE 0.5e0 * LN(2e0 * PI() * (1e0 / a + 1e0 / b)) - a * DUCKMETRICS_FN_LOG1P(b / a) - b * DUCKMETRICS_FN_LOG1P(a / b) + DUCKMETRICS_FN_STIRLING_ERROR(a) + DUCKMETRICS_FN_STIRLING_ERROR(b) - DUCKMETRICS_FN_STIRLING_ERROR(a + b) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_normal_cdf(z) AS (
0.5e0 * DUCKMETRICS_FN_ERFC(-z / SQRT(2e0))
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_normal_p(z) AS (
DUCKMETRICS_FN_ERFC(ABS(z) / SQRT(2e0))
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_normal_quantile(p) AS (
CASE WHEN NOT (p BETWEEN 0e0 AND 1e0) IS TRUE THEN NULL WHEN p = 0e0 THEN CAST('-inf' AS DOUBLE) WHEN p = 1e0 THEN CAST('inf' AS DOUBLE) WHEN ABS(p - 0.5e0) <= 0.425e0 THEN LIST_TRANSFORM([0.180625e0 - (p - 0.5e0) * (p - 0.5e0)], LAMBDA r : (p - 0.5e0) * (((((((2509.0809287301226727e0 * r + 33430.575583588128105e0) * r + 67265.770927008700853e0) * r + 45921.953931549871457e0) * r + 13731.693765509461125e0) * r + 1971.5909503065514427e0) * r + 133.14166789178437745e0) * r + 3.3871328727963666080e0) / (((((((5226.4952788528545610e0 * r + 28729.085735721942674e0) * r + 39307.895800092710610e0) * r + 21213.794301586595867e0) * r + 5394.1960214247511077e0) * r + 687.18700749205790830e0) * r + 42.313330701600911252e0) * r + 1e0))[1] WHEN -LN(LEAST(p, 1e0 - p)) <= 25e0 THEN LIST_TRANSFORM([SQRT(-LN(LEAST(p, 1e0 - p))) - 1.6e0], LAMBDA r : SIGN(p - 0.5e0) * (((((((7.74545014278341407640e-4 * r + 2.27238449892691845833e-2) * r + 2.41780725177450611770e-1) * r + 1.27045825245236838258e0) * r + 3.64784832476320460504e0) * r + 5.76949722146069140550e0) * r + 4.63033784615654529590e0) * r + 1.42343711074968357734e0) / (((((((1.05075007164441684324e-9 * r + 5.47593808499534494600e-4) * r + 1.51986665636164571966e-2) * r + 1.48103976427480074590e-1) * r + 6.89767334985100004550e-1) * r + 1.67638483018380384940e0) * r + 2.05319162663775882187e0) * r + 1e0))[1] ELSE LIST_TRANSFORM([SQRT(-LN(LEAST(p, 1e0 - p))) - 5e0], LAMBDA r : SIGN(p - 0.5e0) * (((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r + 1.24266094738807843860e-3) * r + 2.65321895265761230930e-2) * r + 2.96560571828504891230e-1) * r + 1.78482653991729133580e0) * r + 5.46378491116411436990e0) * r + 6.65790464350110377720e0) / (((((((2.04426310338993978564e-15 * r + 1.42151175831644588870e-7) * r + 1.84631831751005468180e-5) * r + 7.86869131145613259100e-4) * r + 1.48753612908506148525e-2) * r + 1.36929880922735805310e-1) * r + 5.99832206555887937690e-1) * r + 1e0))[1] END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_normal_sf(z) AS (
0.5e0 * DUCKMETRICS_FN_ERFC(z / SQRT(2e0))
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_student_t_expansion(z, df) AS (
CASE WHEN ABS(z) <= 1e50 AND df >= 0.001e0 AND NOT ISNAN(df) THEN z + (z * z + 1e0) * z / (4e0 * df) + ((5e0 * z * z + 16e0) * z * z + 3e0) * z / (96e0 * df * df) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_student_t_log_x(alpha, df) AS (
CASE WHEN alpha > 0e0 AND alpha < 1e0 AND df BETWEEN 0.001e0 AND 1e16 THEN (LN(alpha * 0.5e0 * df) + DUCKMETRICS_FN_LOG_BETA(0.5e0 * df, 0.5e0)) * 2e0 / df END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_student_t_weight(df, s) AS (
CASE WHEN df BETWEEN 0.001e0 AND 1e16 AND s > 0e0 AND s <= 1e308 THEN EXP(LN(s) - 0.5e0 * (df + 1e0) * CASE WHEN s > 1e8 THEN 2e0 * LN(s) ELSE DUCKMETRICS_FN_LOG1P(s * s) END - DUCKMETRICS_FN_LOG_BETA(0.5e0 * df, 0.5e0)) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_student_t_p(t, df) AS (
CASE WHEN NOT (df >= 0.001e0 AND NOT ISNAN(df) AND NOT ISNAN(t)) IS TRUE THEN NULL WHEN t = 0e0 THEN 1e0 WHEN ABS(t) = CAST('inf' AS DOUBLE) THEN 0e0 WHEN ABS(t) > 1e300 THEN NULL WHEN df > 1e16 THEN DUCKMETRICS_FN_NORMAL_P(t) ELSE CASE WHEN t * t > 3e0 * df / (df + 2e0) THEN 0e0 ELSE 1e0 END + DUCKMETRICS_FN_STUDENT_T_WEIGHT(df, ABS(t) / SQRT(df)) / CASE WHEN ABS(t) / SQRT(df) > 1e10 THEN 0.5e0 * df WHEN t * t > 3e0 * df / (df + 2e0) THEN DUCKMETRICS_FN_BETA_FRACTION(0.5e0 * df, 0.5e0, df / (df + t * t), t * t / (df + t * t)) ELSE -DUCKMETRICS_FN_BETA_FRACTION(0.5e0, 0.5e0 * df, t * t / (df + t * t), df / (df + t * t)) END END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_student_t_critical(alpha, df) AS (
CASE WHEN NOT (alpha > 0e0 AND alpha < 1e0 AND df >= 0.001e0 AND NOT ISNAN(df)) IS TRUE THEN NULL WHEN df > 1e16 THEN -DUCKMETRICS_FN_NORMAL_QUANTILE(0.5e0 * alpha) WHEN DUCKMETRICS_FN_STUDENT_T_LOG_X(alpha, df) < -46e0 THEN SQRT(df) * EXP(-0.5e0 * DUCKMETRICS_FN_STUDENT_T_LOG_X(alpha, df)) ELSE LIST_REDUCE(LIST_PREPEND(GREATEST(SQRT(df * (EXP(-LEAST(DUCKMETRICS_FN_STUDENT_T_LOG_X(alpha, df), 0e0)) - 1e0)), DUCKMETRICS_FN_STUDENT_T_EXPANSION(-DUCKMETRICS_FN_NORMAL_QUANTILE(0.5e0 * alpha), df)), CAST(RANGE(0, 6) AS DOUBLE[])), LAMBDA t, i : t * EXP((DUCKMETRICS_FN_STUDENT_T_P(t, df) - alpha) / (2e0 * DUCKMETRICS_FN_STUDENT_T_WEIGHT(df, t / SQRT(df))))) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_student_t_quantile(p, df) AS (
CASE WHEN NOT (p BETWEEN 0e0 AND 1e0 AND df >= 0.001e0 AND NOT ISNAN(df)) IS TRUE THEN NULL WHEN p IN (0e0, 0.5e0, 1e0) OR df > 1e16 THEN DUCKMETRICS_FN_NORMAL_QUANTILE(p) ELSE SIGN(p - 0.5e0) * DUCKMETRICS_FN_STUDENT_T_CRITICAL(2e0 * LEAST(p, 1e0 - p), df) END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_fn_student_t_sf(t, df) AS (
CASE WHEN t < 0e0 THEN 1e0 ELSE 0e0 END + CASE WHEN t < 0e0 THEN -0.5e0 ELSE 0.5e0 END * DUCKMETRICS_FN_STUDENT_T_P(t, df)
);
CREATE OR REPLACE TEMP MACRO duckmetrics_problem_1(label, score) AS (
CASE WHEN ISNAN(DUCKMETRICS_FN_GRADE(label, 'label')) OR ISINF(DUCKMETRICS_FN_GRADE(label, 'label')) THEN 'rows whose label is NaN or infinite; drop these rows; found' || ', label=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(label, 'label') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') WHEN ISNAN(DUCKMETRICS_FN_NUMBER(score, 'score')) THEN 'rows whose score is NaN, which would sort above every number; drop these rows or find out why nothing was predicted; found' || ', label=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(label, 'label') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') WHEN DUCKMETRICS_FN_GRADE(label, 'label') IS NULL THEN 'rows whose label is NULL; drop these rows, or say what a missing label means; found' || ', label=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(label, 'label') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') WHEN DUCKMETRICS_FN_NUMBER(score, 'score') IS NULL THEN 'rows whose score is NULL; drop these rows or find out why nothing was predicted; found' || ', label=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(label, 'label') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') WHEN NOT DUCKMETRICS_FN_GRADE(label, 'label') IN (0, 1, -1) AND NOT ISNAN(DUCKMETRICS_FN_GRADE(label, 'label')) AND NOT ISINF(DUCKMETRICS_FN_GRADE(label, 'label')) THEN 'rows whose label is none of 0, 1, -1, true and false; make it 0 or 1, as in CAST(rating >= 4 AS INTEGER); found' || ', label=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(label, 'label') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_problem_2(label, score) AS (
CASE WHEN (DUCKMETRICS_FN_NUMBER(score, 'score') < 0 OR DUCKMETRICS_FN_NUMBER(score, 'score') > 1) AND NOT ISNAN(DUCKMETRICS_FN_NUMBER(score, 'score')) THEN 'rows whose score lies outside of [0, 1], so it is no probability; apply the sigmoid or calibrate it first; metrics such as auc take any score; found' || ', label=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(label, 'label') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') WHEN ISNAN(DUCKMETRICS_FN_GRADE(label, 'label')) OR ISINF(DUCKMETRICS_FN_GRADE(label, 'label')) THEN 'rows whose label is NaN or infinite; drop these rows; found' || ', label=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(label, 'label') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') WHEN ISNAN(DUCKMETRICS_FN_NUMBER(score, 'score')) THEN 'rows whose score is NaN, which would sort above every number; drop these rows or find out why nothing was predicted; found' || ', label=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(label, 'label') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') WHEN DUCKMETRICS_FN_GRADE(label, 'label') IS NULL THEN 'rows whose label is NULL; drop these rows, or say what a missing label means; found' || ', label=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(label, 'label') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') WHEN DUCKMETRICS_FN_NUMBER(score, 'score') IS NULL THEN 'rows whose score is NULL; drop these rows or find out why nothing was predicted; found' || ', label=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(label, 'label') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') WHEN NOT DUCKMETRICS_FN_GRADE(label, 'label') IN (0, 1, -1) AND NOT ISNAN(DUCKMETRICS_FN_GRADE(label, 'label')) AND NOT ISINF(DUCKMETRICS_FN_GRADE(label, 'label')) THEN 'rows whose label is none of 0, 1, -1, true and false; make it 0 or 1, as in CAST(rating >= 4 AS INTEGER); found' || ', label=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(label, 'label') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_problem_3(label, score) AS (
CASE WHEN ISNAN(DUCKMETRICS_FN_GRADE(label, 'label')) OR ISINF(DUCKMETRICS_FN_GRADE(label, 'label')) THEN 'rows whose label is NaN or infinite; drop these rows; found' || ', label=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(label, 'label') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') WHEN ISNAN(DUCKMETRICS_FN_NUMBER(score, 'score')) THEN 'rows whose score is NaN, which would sort above every number; drop these rows or find out why nothing was predicted; found' || ', label=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(label, 'label') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') WHEN DUCKMETRICS_FN_GRADE(label, 'label') IS NULL THEN 'rows whose label is NULL; drop these rows, or say what a missing label means; found' || ', label=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(label, 'label') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') WHEN DUCKMETRICS_FN_NUMBER(score, 'score') IS NULL THEN 'rows whose score is NULL; drop these rows or find out why nothing was predicted; found' || ', label=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(label, 'label') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_problem_4(rel, rank) AS (
CASE WHEN ISNAN(DUCKMETRICS_FN_GRADE(rel, 'rel')) OR ISINF(DUCKMETRICS_FN_GRADE(rel, 'rel')) THEN 'rows whose label is NaN or infinite; drop these rows; found' || ', rel=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(rel, 'rel') AS TEXT), 'NULL') || ', rank=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(rank, 'rank') AS TEXT), 'NULL') WHEN ISNAN(DUCKMETRICS_FN_NUMBER(rank, 'rank')) THEN 'rows whose score is NaN, which would sort above every number; drop these rows or find out why nothing was predicted; found' || ', rel=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(rel, 'rel') AS TEXT), 'NULL') || ', rank=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(rank, 'rank') AS TEXT), 'NULL') WHEN DUCKMETRICS_FN_GRADE(rel, 'rel') IS NULL THEN 'rows whose label is NULL; drop these rows, or say what a missing label means; found' || ', rel=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(rel, 'rel') AS TEXT), 'NULL') || ', rank=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(rank, 'rank') AS TEXT), 'NULL') WHEN DUCKMETRICS_FN_NUMBER(rank, 'rank') IS NULL THEN 'rows whose score is NULL; drop these rows or find out why nothing was predicted; found' || ', rel=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(rel, 'rel') AS TEXT), 'NULL') || ', rank=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(rank, 'rank') AS TEXT), 'NULL') WHEN NOT (DUCKMETRICS_FN_GRADE(rel, 'rel') >= 0) THEN 'rows outside of what dcg needs, rel >= 0; found' || ', rel=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(rel, 'rel') AS TEXT), 'NULL') || ', rank=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(rank, 'rank') AS TEXT), 'NULL') WHEN NOT (DUCKMETRICS_FN_NUMBER(rank, 'rank') >= 1) THEN 'rows outside of what dcg needs, rank >= 1; found' || ', rel=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(rel, 'rel') AS TEXT), 'NULL') || ', rank=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(rank, 'rank') AS TEXT), 'NULL') END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_problem_5(rel, score) AS (
CASE WHEN ISNAN(DUCKMETRICS_FN_GRADE(rel, 'rel')) OR ISINF(DUCKMETRICS_FN_GRADE(rel, 'rel')) THEN 'rows whose label is NaN or infinite; drop these rows; found' || ', rel=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(rel, 'rel') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') WHEN ISNAN(DUCKMETRICS_FN_NUMBER(score, 'score')) THEN 'rows whose score is NaN, which would sort above every number; drop these rows or find out why nothing was predicted; found' || ', rel=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(rel, 'rel') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') WHEN DUCKMETRICS_FN_GRADE(rel, 'rel') IS NULL THEN 'rows whose label is NULL; drop these rows, or say what a missing label means; found' || ', rel=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(rel, 'rel') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') WHEN DUCKMETRICS_FN_NUMBER(score, 'score') IS NULL THEN 'rows whose score is NULL; drop these rows or find out why nothing was predicted; found' || ', rel=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(rel, 'rel') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') WHEN NOT (DUCKMETRICS_FN_GRADE(rel, 'rel') >= 0) THEN 'rows outside of what ndcg needs, rel >= 0; found' || ', rel=' || COALESCE(CAST(DUCKMETRICS_FN_GRADE(rel, 'rel') AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(DUCKMETRICS_FN_NUMBER(score, 'score') AS TEXT), 'NULL') END
);
CREATE OR REPLACE TEMP MACRO duckmetrics_query_values(predictions, truth, metrics, norm := NULL, duplicates := 'error', missing := NULL, negative_grade := 'error', no_relevant := 'null', null_relevance := 'error', population := 'truth', rel := NULL, scores := 'double', ties := 'item_asc', unjudged := 'nonrelevant', gain := 'linear', discount := 'log2', max_grade := 4.0e0, beta := NULL, ideal := 'judged', recall := NULL, rounding := 'up', p := 0.8e0, agg := 'mean', query_id := 'query_id', item_id := 'item_id', score := NULL, rank := NULL, "position" := NULL, relevance := NULL) AS TABLE (
WITH _duckmetrics_predictions AS (WITH _duckmetrics_named AS (SELECT COLUMNS('(?i)^' || REGEXP_ESCAPE(query_id) || '$') AS _query_id, COLUMNS('(?i)^' || REGEXP_ESCAPE(item_id) || '$') AS _item_id, COALESCE(*COLUMNS(DUCKMETRICS_FN_ONE_OF(COALESCE(score, 'score')))) AS _score, TYPEOF(COALESCE(*COLUMNS(DUCKMETRICS_FN_ONE_OF(COALESCE(score, 'score'))))) AS _score_type, COALESCE(*COLUMNS(DUCKMETRICS_FN_ONE_OF(COALESCE(rank, 'rank')))) AS _rank, TYPEOF(COALESCE(*COLUMNS(DUCKMETRICS_FN_ONE_OF(COALESCE(rank, 'rank'))))) AS _rank_type, COALESCE(*COLUMNS(DUCKMETRICS_FN_ONE_OF(COALESCE("position", '')))) AS _position FROM (SELECT *, NULL AS "_duckmetrics_none" FROM QUERY(DUCKMETRICS_FN_SOURCE(predictions, 'SELECT LIST_EXTRACT(fields, 1) AS query_id, LIST_EXTRACT(fields, 3) AS item_id, CAST(LIST_EXTRACT(fields, 5) AS DOUBLE) AS score FROM (SELECT STR_SPLIT_REGEX(TRIM(line, e'' \t\r''), ''\s+'') AS fields FROM READ_CSV({files}, "columns" = {''line'': ''VARCHAR''}, auto_detect = FALSE, header = FALSE, delim = e''\x01'', quote = '''', escape = '''') WHERE TRIM(line, e'' \t\r'') <> '''') AS lines'))) AS _duckmetrics_given) SELECT '' AS _system, DUCKMETRICS_FN_IDENTIFIER(_query_id, query_id) AS _query_id, DUCKMETRICS_FN_IDENTIFIER(_item_id, item_id) AS _item_id, CASE WHEN NOT score IS NULL AND NOT rank IS NULL THEN ERROR('duckmetrics: predictions: score := and rank := both order the items; give one of them') WHEN rank IS NULL AND _score_type <> '"NULL"' AND (NOT score IS NULL OR _rank_type = '"NULL"') THEN DUCKMETRICS_FN_NUMBER(_score, 'predictions: column ''' || COALESCE(score, 'score') || '''') WHEN score IS NULL AND _rank_type <> '"NULL"' AND (NOT rank IS NULL OR _score_type = '"NULL"') THEN -DUCKMETRICS_FN_NUMBER(_rank, 'predictions: column ''' || COALESCE(rank, 'rank') || '''') WHEN _score_type <> '"NULL"' AND _rank_type <> '"NULL"' THEN ERROR('duckmetrics: predictions: score and rank could both order the items; say which, score := ''score''') ELSE ERROR('duckmetrics: predictions: no column ''' || COALESCE(score, rank, 'score') || '''; name it with score := or rank :=') END AS _score, _position FROM _duckmetrics_named),
_duckmetrics_truth AS (WITH _duckmetrics_named AS (SELECT COLUMNS('(?i)^' || REGEXP_ESCAPE(query_id) || '$') AS _query_id, COLUMNS('(?i)^' || REGEXP_ESCAPE(item_id) || '$') AS _item_id, COALESCE(*COLUMNS(DUCKMETRICS_FN_ONE_OF(COALESCE(relevance, 'relevance')))) AS _relevance, TYPEOF(COALESCE(*COLUMNS(DUCKMETRICS_FN_ONE_OF(COALESCE(relevance, 'relevance'))))) AS _relevance_type, COALESCE(*COLUMNS(DUCKMETRICS_FN_ONE_OF('label'))) AS _label, TYPEOF(COALESCE(*COLUMNS(DUCKMETRICS_FN_ONE_OF('label')))) AS _label_type FROM (SELECT *, NULL AS "_duckmetrics_none" FROM QUERY(DUCKMETRICS_FN_SOURCE(truth, 'SELECT LIST_EXTRACT(fields, 1) AS query_id, LIST_EXTRACT(fields, 3) AS item_id, CAST(LIST_EXTRACT(fields, 4) AS DOUBLE) AS relevance FROM (SELECT STR_SPLIT_REGEX(TRIM(line, e'' \t\r''), ''\s+'') AS fields FROM READ_CSV({files}, "columns" = {''line'': ''VARCHAR''}, auto_detect = FALSE, header = FALSE, delim = e''\x01'', quote = '''', escape = '''') WHERE TRIM(line, e'' \t\r'') <> '''') AS lines'))) AS _duckmetrics_given) SELECT DUCKMETRICS_FN_IDENTIFIER(_query_id, query_id) AS _query_id, DUCKMETRICS_FN_IDENTIFIER(_item_id, item_id) AS _item_id, CASE WHEN _relevance_type <> '"NULL"' THEN DUCKMETRICS_FN_GRADE(_relevance, 'truth: column ''' || COALESCE(relevance, 'relevance') || '''') WHEN NOT relevance IS NULL THEN ERROR('duckmetrics: truth: no column ''' || relevance || '''; name it with relevance := ...') WHEN _label_type <> '"NULL"' THEN DUCKMETRICS_FN_GRADE(_label, 'truth: column ''label''') ELSE 1e0 END AS _relevance FROM _duckmetrics_named),
_duckmetrics_population AS (SELECT COLUMNS('(?i)^' || REGEXP_ESCAPE(query_id) || '$') AS _query_id FROM QUERY(DUCKMETRICS_FN_SOURCE(CASE WHEN DUCKMETRICS_FN_POPULATION_WORD(population) = 'table' THEN population ELSE truth END, 'SELECT LIST_EXTRACT(fields, 1) AS query_id, LIST_EXTRACT(fields, 3) AS item_id, CAST(LIST_EXTRACT(fields, 4) AS DOUBLE) AS relevance FROM (SELECT STR_SPLIT_REGEX(TRIM(line, e'' \t\r''), ''\s+'') AS fields FROM READ_CSV({files}, "columns" = {''line'': ''VARCHAR''}, auto_detect = FALSE, header = FALSE, delim = e''\x01'', quote = '''', escape = '''') WHERE TRIM(line, e'' \t\r'') <> '''') AS lines')) WHERE DUCKMETRICS_FN_POPULATION_WORD(population) = 'table'),
_duckmetrics_known AS (SELECT _name, _measure, _has_cutoff, _agg FROM (VALUES ('average_precision', 'average_precision', TRUE, CAST(agg AS TEXT)), ('ap', 'average_precision', TRUE, CAST(agg AS TEXT)), ('map', 'average_precision', TRUE, CAST(agg AS TEXT)), ('bpref', 'bpref', FALSE, CAST(agg AS TEXT)), ('cg', 'cg', TRUE, CAST(agg AS TEXT)), ('dcg', 'dcg', TRUE, CAST(agg AS TEXT)), ('err', 'err', TRUE, CAST(agg AS TEXT)), ('f_beta', 'f_beta', TRUE, CAST(agg AS TEXT)), ('first_rank', 'first_rank', TRUE, CAST(agg AS TEXT)), ('hit_rate', 'hit_rate', TRUE, CAST(agg AS TEXT)), ('hr', 'hit_rate', TRUE, CAST(agg AS TEXT)), ('success', 'hit_rate', TRUE, CAST(agg AS TEXT)), ('hits', 'hits', TRUE, CAST(agg AS TEXT)), ('idcg', 'idcg', TRUE, CAST(agg AS TEXT)), ('infap', 'infap', FALSE, CAST(agg AS TEXT)), ('iprec', 'iprec', FALSE, CAST(agg AS TEXT)), ('iprec_at_recall', 'iprec', FALSE, CAST(agg AS TEXT)), ('judged', 'judged', TRUE, CAST(agg AS TEXT)), ('ndcg', 'ndcg', TRUE, CAST(agg AS TEXT)), ('precision', 'precision', TRUE, CAST(agg AS TEXT)), ('p', 'precision', TRUE, CAST(agg AS TEXT)), ('query_auc', 'query_auc', FALSE, CAST(agg AS TEXT)), ('r_precision', 'r_precision', FALSE, CAST(agg AS TEXT)), ('rprec', 'r_precision', FALSE, CAST(agg AS TEXT)), ('rbp', 'rbp', TRUE, CAST(agg AS TEXT)), ('recall', 'recall', TRUE, CAST(agg AS TEXT)), ('reciprocal_rank', 'reciprocal_rank', TRUE, CAST(agg AS TEXT)), ('rr', 'reciprocal_rank', TRUE, CAST(agg AS TEXT)), ('mrr', 'reciprocal_rank', TRUE, CAST(agg AS TEXT)), ('gmap', 'gmap', TRUE, CAST('gmean' AS TEXT)), ('f1', 'f1', TRUE, CAST(agg AS TEXT)), ('mean_rank', 'mean_rank', TRUE, CAST('mean' AS TEXT)), ('median_rank', 'median_rank', TRUE, CAST('median' AS TEXT))) AS _duckmetrics_names(_name, _measure, _has_cutoff, _agg)),
_duckmetrics_specs AS (WITH _duckmetrics_listed AS (SELECT UNNEST(RANGE(0, LENGTH(DUCKMETRICS_FN_ASKED_METRICS(metrics)))) AS _place, UNNEST(DUCKMETRICS_FN_ASKED_METRICS(metrics)) AS _metric) SELECT _duckmetrics_listed._place AS _segment, _duckmetrics_listed._metric, LIST_EXTRACT(DUCKMETRICS_FN_CUTOFFS(DUCKMETRICS_FN_METRIC_CUTOFF(_duckmetrics_listed._metric)), 1) AS _k, _duckmetrics_known.* EXCLUDE (_name) FROM _duckmetrics_listed LEFT JOIN _duckmetrics_known ON _duckmetrics_known._name = DUCKMETRICS_FN_METRIC_NAME(_duckmetrics_listed._metric)),
_duckmetrics_cutoffs AS (SELECT DISTINCT _k FROM _duckmetrics_specs),
_duckmetrics_judgments AS (SELECT _query_id, _item_id, CASE WHEN TRY_CAST(null_relevance AS TEXT) = 'zero' AND _duckmetrics_truth._relevance IS NULL THEN 0 WHEN TRY_CAST(negative_grade AS TEXT) = 'zero' AND _duckmetrics_truth._relevance < 0 THEN 0 ELSE _duckmetrics_truth._relevance END AS _relevance FROM _duckmetrics_truth WHERE TRY_CAST(duplicates AS TEXT) <> 'first' UNION ALL SELECT _query_id, _item_id, _relevance FROM (SELECT _query_id, _item_id, CASE WHEN TRY_CAST(null_relevance AS TEXT) = 'zero' AND _duckmetrics_truth._relevance IS NULL THEN 0 WHEN TRY_CAST(negative_grade AS TEXT) = 'zero' AND _duckmetrics_truth._relevance < 0 THEN 0 ELSE _duckmetrics_truth._relevance END AS _relevance FROM _duckmetrics_truth) AS _duckmetrics_graded WHERE TRY_CAST(duplicates AS TEXT) = 'first' QUALIFY ROW_NUMBER() OVER (PARTITION BY _query_id, _item_id ORDER BY COALESCE(_relevance, 0) DESC NULLS LAST) = 1),
_duckmetrics_grades AS (SELECT _query_id, _item_id, _relevance, CASE WHEN NOT CASE WHEN NOT rel IS NULL AND (rel IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(rel AS DOUBLE)), FALSE)) THEN TRY_CAST(rel AS DOUBLE) ELSE NULL END IS NULL THEN _relevance >= CASE WHEN NOT rel IS NULL AND (rel IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(rel AS DOUBLE)), FALSE)) THEN TRY_CAST(rel AS DOUBLE) ELSE NULL END ELSE _relevance > 0 END AS _is_relevant FROM _duckmetrics_judgments WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'average_precision|ap|map|bpref|cg|dcg|err|f_beta|first_rank|hit_rate|hr|success|hits|idcg|infap|iprec|iprec_at_recall|ndcg|precision|p|query_auc|r_precision|rprec|rbp|recall|reciprocal_rank|rr|mrr|gmap|f1|mean_rank|median_rank')),
_duckmetrics_answers AS (SELECT '' AS _system, _query_id, COUNT(*) AS _n_predicted FROM _duckmetrics_predictions GROUP BY _query_id),
_duckmetrics_systems AS (SELECT DISTINCT '' AS _system FROM _duckmetrics_predictions),
_duckmetrics_queries AS (SELECT '' AS _system, _duckmetrics_asked._query_id, _duckmetrics_answers._n_predicted IS NULL AS _missing FROM (SELECT DISTINCT _query_id FROM _duckmetrics_truth WHERE DUCKMETRICS_FN_POPULATION_WORD(population) = 'truth' UNION ALL SELECT DISTINCT _query_id FROM _duckmetrics_answers WHERE DUCKMETRICS_FN_POPULATION_WORD(population) = 'predictions' UNION ALL SELECT _duckmetrics_answers._query_id FROM _duckmetrics_answers JOIN (SELECT DISTINCT _query_id FROM _duckmetrics_truth) AS _duckmetrics_judged ON _duckmetrics_judged._query_id = _duckmetrics_answers._query_id WHERE DUCKMETRICS_FN_POPULATION_WORD(population) = 'both' GROUP BY _duckmetrics_answers._query_id HAVING COUNT(*) = (SELECT COUNT(*) FROM _duckmetrics_systems) UNION ALL SELECT DISTINCT _query_id FROM _duckmetrics_population WHERE DUCKMETRICS_FN_POPULATION_WORD(population) = 'table') AS _duckmetrics_asked CROSS JOIN _duckmetrics_systems LEFT JOIN _duckmetrics_answers ON _duckmetrics_answers._query_id = _duckmetrics_asked._query_id),
_duckmetrics_judged_queries AS (SELECT _query_id, COUNT(*) FILTER(WHERE _is_relevant) AS _m, COUNT(*) FILTER(WHERE NOT _is_relevant) AS _n_nonrelevant FROM _duckmetrics_grades WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'average_precision|ap|map|bpref|cg|dcg|err|f_beta|first_rank|hit_rate|hr|success|hits|idcg|infap|iprec|iprec_at_recall|ndcg|precision|p|query_auc|r_precision|rprec|rbp|recall|reciprocal_rank|rr|mrr|gmap|f1|mean_rank|median_rank') GROUP BY _query_id),
_duckmetrics_offered AS (SELECT '' AS _system, _query_id, _item_id, _position, CASE WHEN TRY_CAST(scores AS TEXT) = 'double' THEN _duckmetrics_predictions._score WHEN ABS(_duckmetrics_predictions._score) < 340282356779733661637539395458142568448e0 THEN CAST(_duckmetrics_predictions._score AS REAL) ELSE SIGN(_duckmetrics_predictions._score) * CAST('Infinity' AS REAL) END AS _score FROM _duckmetrics_predictions WHERE TRY_CAST(duplicates AS TEXT) <> 'first' UNION ALL SELECT '' AS _system, _query_id, _item_id, _position, _score FROM (SELECT '' AS _system, _query_id, _item_id, _position, CASE WHEN TRY_CAST(scores AS TEXT) = 'double' THEN _duckmetrics_predictions._score WHEN ABS(_duckmetrics_predictions._score) < 340282356779733661637539395458142568448e0 THEN CAST(_duckmetrics_predictions._score AS REAL) ELSE SIGN(_duckmetrics_predictions._score) * CAST('Infinity' AS REAL) END AS _score FROM _duckmetrics_predictions) AS _duckmetrics_scored WHERE TRY_CAST(duplicates AS TEXT) = 'first' QUALIFY ROW_NUMBER() OVER (PARTITION BY _query_id, _item_id ORDER BY _score DESC NULLS LAST, _position ASC NULLS LAST) = 1),
_duckmetrics_candidates AS (SELECT '' AS _system, _query_id, _item_id, _position, _score, 0 AS _relevance FROM _duckmetrics_offered WHERE NOT TRY_CAST(ties AS TEXT) IN ('pessimistic', 'optimistic') AND TRY_CAST(unjudged AS TEXT) = 'nonrelevant' UNION ALL SELECT '' AS _system, _duckmetrics_offered._query_id, _duckmetrics_offered._item_id, _duckmetrics_offered._position, _duckmetrics_offered._score, COALESCE(_duckmetrics_judgments._relevance, 0) AS _relevance FROM _duckmetrics_offered LEFT JOIN _duckmetrics_judgments ON _duckmetrics_judgments._query_id = _duckmetrics_offered._query_id AND _duckmetrics_judgments._item_id = _duckmetrics_offered._item_id WHERE (TRY_CAST(ties AS TEXT) IN ('pessimistic', 'optimistic') OR TRY_CAST(unjudged AS TEXT) = 'skip') AND (TRY_CAST(unjudged AS TEXT) = 'nonrelevant' OR NOT _duckmetrics_judgments._relevance IS NULL)),
_duckmetrics_returned_counts AS (SELECT '' AS _system, _query_id, _n_predicted AS _n_returned FROM _duckmetrics_answers WHERE TRY_CAST(unjudged AS TEXT) = 'nonrelevant' AND TRY_CAST(duplicates AS TEXT) <> 'first' UNION ALL SELECT '' AS _system, _query_id, COUNT(*) AS _n_returned FROM _duckmetrics_candidates WHERE TRY_CAST(unjudged AS TEXT) = 'skip' OR TRY_CAST(duplicates AS TEXT) = 'first' GROUP BY _query_id),
_duckmetrics_ranked AS (SELECT '' AS _system, _query_id, _item_id, _score, ROW_NUMBER() OVER (PARTITION BY _query_id ORDER BY _score DESC NULLS LAST, _item_id ASC NULLS LAST) AS _rank FROM _duckmetrics_candidates WHERE TRY_CAST(ties AS TEXT) IN ('item_asc', 'expected') QUALIFY CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'bpref|infap|iprec|iprec_at_recall|query_auc|r_precision|rprec') AND (NULL) IS NULL THEN NULL WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg|dcg') AND (CASE WHEN TRY_CAST(ties AS TEXT) <> 'expected' THEN DUCKMETRICS_FN_DEEPEST(DUCKMETRICS_FN_ALL_CUTOFFS(metrics)) END) IS NULL THEN NULL WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'idcg') AND (CASE WHEN TRY_CAST(ideal AS TEXT) <> 'returned' THEN DUCKMETRICS_FN_DEEPEST(DUCKMETRICS_FN_ALL_CUTOFFS(metrics)) END) IS NULL THEN NULL WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'ndcg') AND (CASE WHEN TRY_CAST(ties AS TEXT) <> 'expected' AND TRY_CAST(ideal AS TEXT) <> 'returned' THEN DUCKMETRICS_FN_DEEPEST(DUCKMETRICS_FN_ALL_CUTOFFS(metrics)) END) IS NULL THEN NULL ELSE DUCKMETRICS_FN_DEEPEST(DUCKMETRICS_FN_ALL_CUTOFFS(metrics)) END IS NULL OR _rank <= CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'bpref|infap|iprec|iprec_at_recall|query_auc|r_precision|rprec') AND (NULL) IS NULL THEN NULL WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg|dcg') AND (CASE WHEN TRY_CAST(ties AS TEXT) <> 'expected' THEN DUCKMETRICS_FN_DEEPEST(DUCKMETRICS_FN_ALL_CUTOFFS(metrics)) END) IS NULL THEN NULL WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'idcg') AND (CASE WHEN TRY_CAST(ideal AS TEXT) <> 'returned' THEN DUCKMETRICS_FN_DEEPEST(DUCKMETRICS_FN_ALL_CUTOFFS(metrics)) END) IS NULL THEN NULL WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'ndcg') AND (CASE WHEN TRY_CAST(ties AS TEXT) <> 'expected' AND TRY_CAST(ideal AS TEXT) <> 'returned' THEN DUCKMETRICS_FN_DEEPEST(DUCKMETRICS_FN_ALL_CUTOFFS(metrics)) END) IS NULL THEN NULL ELSE DUCKMETRICS_FN_DEEPEST(DUCKMETRICS_FN_ALL_CUTOFFS(metrics)) END UNION ALL SELECT '' AS _system, _query_id, _item_id, _score, ROW_NUMBER() OVER (PARTITION BY _query_id ORDER BY _score DESC NULLS LAST, CASE TRY_CAST(ties AS TEXT) WHEN 'pessimistic' THEN _relevance WHEN 'optimistic' THEN -_relevance END ASC NULLS LAST, CASE TRY_CAST(ties AS TEXT) WHEN 'input' THEN _position END ASC NULLS LAST, CASE TRY_CAST(ties AS TEXT) WHEN 'item_desc_text' THEN CAST(_item_id AS TEXT) END DESC NULLS LAST, CASE TRY_CAST(ties AS TEXT) WHEN 'item_desc' THEN _item_id END DESC NULLS LAST, _item_id ASC NULLS LAST) AS _rank FROM _duckmetrics_candidates WHERE NOT TRY_CAST(ties AS TEXT) IN ('item_asc', 'expected') QUALIFY CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'bpref|infap|iprec|iprec_at_recall|query_auc|r_precision|rprec') AND (NULL) IS NULL THEN NULL WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg|dcg') AND (CASE WHEN TRY_CAST(ties AS TEXT) <> 'expected' THEN DUCKMETRICS_FN_DEEPEST(DUCKMETRICS_FN_ALL_CUTOFFS(metrics)) END) IS NULL THEN NULL WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'idcg') AND (CASE WHEN TRY_CAST(ideal AS TEXT) <> 'returned' THEN DUCKMETRICS_FN_DEEPEST(DUCKMETRICS_FN_ALL_CUTOFFS(metrics)) END) IS NULL THEN NULL WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'ndcg') AND (CASE WHEN TRY_CAST(ties AS TEXT) <> 'expected' AND TRY_CAST(ideal AS TEXT) <> 'returned' THEN DUCKMETRICS_FN_DEEPEST(DUCKMETRICS_FN_ALL_CUTOFFS(metrics)) END) IS NULL THEN NULL ELSE DUCKMETRICS_FN_DEEPEST(DUCKMETRICS_FN_ALL_CUTOFFS(metrics)) END IS NULL OR _rank <= CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'bpref|infap|iprec|iprec_at_recall|query_auc|r_precision|rprec') AND (NULL) IS NULL THEN NULL WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg|dcg') AND (CASE WHEN TRY_CAST(ties AS TEXT) <> 'expected' THEN DUCKMETRICS_FN_DEEPEST(DUCKMETRICS_FN_ALL_CUTOFFS(metrics)) END) IS NULL THEN NULL WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'idcg') AND (CASE WHEN TRY_CAST(ideal AS TEXT) <> 'returned' THEN DUCKMETRICS_FN_DEEPEST(DUCKMETRICS_FN_ALL_CUTOFFS(metrics)) END) IS NULL THEN NULL WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'ndcg') AND (CASE WHEN TRY_CAST(ties AS TEXT) <> 'expected' AND TRY_CAST(ideal AS TEXT) <> 'returned' THEN DUCKMETRICS_FN_DEEPEST(DUCKMETRICS_FN_ALL_CUTOFFS(metrics)) END) IS NULL THEN NULL ELSE DUCKMETRICS_FN_DEEPEST(DUCKMETRICS_FN_ALL_CUTOFFS(metrics)) END),
_duckmetrics_relevant AS (SELECT '' AS _system, _duckmetrics_queries._query_id, _duckmetrics_ideal._item_id, _duckmetrics_ideal._relevance, CASE WHEN TRY_CAST(duplicates AS TEXT) <> 'count' THEN _duckmetrics_ideal._ideal_rank WHEN ROW_NUMBER() OVER (PARTITION BY _duckmetrics_queries._query_id, _duckmetrics_ideal._ideal_rank ORDER BY COALESCE(_duckmetrics_ranked._rank, 2147483647) ASC NULLS LAST) = 1 THEN _duckmetrics_ideal._ideal_rank END AS _ideal_rank, _duckmetrics_judged_queries._m, COALESCE(_duckmetrics_returned_counts._n_returned, 0) AS _n_returned, _duckmetrics_ranked._rank AS _rank, CASE WHEN NOT _duckmetrics_ranked._rank IS NULL THEN ROW_NUMBER() OVER (PARTITION BY _duckmetrics_queries._query_id ORDER BY COALESCE(_duckmetrics_ranked._rank, 2147483647) ASC NULLS LAST) END AS _hit, CASE WHEN NOT _duckmetrics_ranked._rank IS NULL THEN ROW_NUMBER() OVER (PARTITION BY _duckmetrics_queries._query_id ORDER BY CASE WHEN _duckmetrics_ranked._rank IS NULL THEN 1 ELSE 0 END ASC NULLS LAST, _duckmetrics_ideal._ideal_rank ASC NULLS LAST, _duckmetrics_ranked._rank ASC NULLS LAST) END AS _returned_ideal_rank FROM (SELECT _query_id, _item_id, _relevance, ROW_NUMBER() OVER (PARTITION BY _query_id ORDER BY _relevance DESC NULLS LAST, _item_id ASC NULLS LAST) AS _ideal_rank FROM _duckmetrics_judgments WHERE CASE WHEN NOT CASE WHEN NOT rel IS NULL AND (rel IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(rel AS DOUBLE)), FALSE)) THEN TRY_CAST(rel AS DOUBLE) ELSE NULL END IS NULL THEN _relevance >= CASE WHEN NOT rel IS NULL AND (rel IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(rel AS DOUBLE)), FALSE)) THEN TRY_CAST(rel AS DOUBLE) ELSE NULL END ELSE _relevance > 0 END AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'average_precision|ap|map|cg|dcg|err|f_beta|first_rank|hit_rate|hr|success|hits|idcg|iprec|iprec_at_recall|ndcg|precision|p|r_precision|rprec|rbp|recall|reciprocal_rank|rr|mrr|gmap|f1|mean_rank|median_rank')) AS _duckmetrics_ideal JOIN _duckmetrics_queries ON _duckmetrics_queries._query_id = _duckmetrics_ideal._query_id JOIN _duckmetrics_judged_queries ON _duckmetrics_judged_queries._query_id = _duckmetrics_ideal._query_id LEFT JOIN _duckmetrics_returned_counts ON _duckmetrics_returned_counts._query_id = _duckmetrics_queries._query_id LEFT JOIN _duckmetrics_ranked ON _duckmetrics_ranked._query_id = _duckmetrics_ideal._query_id AND _duckmetrics_ranked._item_id = _duckmetrics_ideal._item_id WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'average_precision|ap|map|cg|dcg|err|f_beta|first_rank|hit_rate|hr|success|hits|idcg|iprec|iprec_at_recall|ndcg|precision|p|r_precision|rprec|rbp|recall|reciprocal_rank|rr|mrr|gmap|f1|mean_rank|median_rank')),
_duckmetrics_returned AS (SELECT '' AS _system, _duckmetrics_ranked._query_id, _duckmetrics_ranked._item_id, _duckmetrics_ranked._rank, MIN(_duckmetrics_ranked._rank) OVER (PARTITION BY _duckmetrics_ranked._query_id, _duckmetrics_ranked._score) AS _tie_first, MAX(_duckmetrics_ranked._rank) OVER (PARTITION BY _duckmetrics_ranked._query_id, _duckmetrics_ranked._score) AS _tie_last, _duckmetrics_grades._relevance, COALESCE(_duckmetrics_grades._is_relevant, FALSE) AS _is_relevant, _duckmetrics_judged_queries._m, _duckmetrics_judged_queries._n_nonrelevant, _duckmetrics_returned_counts._n_returned FROM _duckmetrics_ranked JOIN _duckmetrics_queries ON _duckmetrics_queries._query_id = _duckmetrics_ranked._query_id JOIN _duckmetrics_returned_counts ON _duckmetrics_returned_counts._query_id = _duckmetrics_ranked._query_id LEFT JOIN _duckmetrics_judged_queries ON _duckmetrics_judged_queries._query_id = _duckmetrics_ranked._query_id LEFT JOIN _duckmetrics_grades ON _duckmetrics_grades._query_id = _duckmetrics_ranked._query_id AND _duckmetrics_grades._item_id = _duckmetrics_ranked._item_id WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'bpref|infap|query_auc')),
_duckmetrics_grades_2 AS (SELECT _query_id, _item_id, _relevance, CASE WHEN TRY_CAST(gain AS TEXT) = 'binary' AND NOT CASE WHEN NOT rel IS NULL AND (rel IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(rel AS DOUBLE)), FALSE)) THEN TRY_CAST(rel AS DOUBLE) ELSE NULL END IS NULL THEN _relevance >= CASE WHEN NOT rel IS NULL AND (rel IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(rel AS DOUBLE)), FALSE)) THEN TRY_CAST(rel AS DOUBLE) ELSE NULL END ELSE _relevance > 0 END AS _is_relevant FROM _duckmetrics_judgments WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg|dcg|idcg|ndcg')),
_duckmetrics_judged_queries_2 AS (SELECT _query_id, COUNT(*) FILTER(WHERE _is_relevant) AS _m, COUNT(*) FILTER(WHERE NOT _is_relevant) AS _n_nonrelevant FROM _duckmetrics_grades_2 AS _duckmetrics_grades WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg|dcg|idcg|ndcg') GROUP BY _query_id),
_duckmetrics_relevant_2 AS (SELECT _system, _query_id, _item_id, _relevance, _ideal_rank, _m, _n_returned, _rank, _hit, _returned_ideal_rank FROM _duckmetrics_relevant WHERE CASE WHEN NOT rel IS NULL AND (rel IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(rel AS DOUBLE)), FALSE)) THEN TRY_CAST(rel AS DOUBLE) ELSE NULL END IS NULL AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg|dcg|idcg|ndcg') UNION ALL SELECT '' AS _system, _duckmetrics_queries._query_id, _duckmetrics_ideal._item_id, _duckmetrics_ideal._relevance, CASE WHEN TRY_CAST(duplicates AS TEXT) <> 'count' THEN _duckmetrics_ideal._ideal_rank WHEN ROW_NUMBER() OVER (PARTITION BY _duckmetrics_queries._query_id, _duckmetrics_ideal._ideal_rank ORDER BY COALESCE(_duckmetrics_ranked._rank, 2147483647) ASC NULLS LAST) = 1 THEN _duckmetrics_ideal._ideal_rank END AS _ideal_rank, _duckmetrics_judged_queries._m, COALESCE(_duckmetrics_returned_counts._n_returned, 0) AS _n_returned, _duckmetrics_ranked._rank AS _rank, CASE WHEN NOT _duckmetrics_ranked._rank IS NULL THEN ROW_NUMBER() OVER (PARTITION BY _duckmetrics_queries._query_id ORDER BY COALESCE(_duckmetrics_ranked._rank, 2147483647) ASC NULLS LAST) END AS _hit, CASE WHEN NOT _duckmetrics_ranked._rank IS NULL THEN ROW_NUMBER() OVER (PARTITION BY _duckmetrics_queries._query_id ORDER BY CASE WHEN _duckmetrics_ranked._rank IS NULL THEN 1 ELSE 0 END ASC NULLS LAST, _duckmetrics_ideal._ideal_rank ASC NULLS LAST, _duckmetrics_ranked._rank ASC NULLS LAST) END AS _returned_ideal_rank FROM (SELECT _query_id, _item_id, _relevance, ROW_NUMBER() OVER (PARTITION BY _query_id ORDER BY _relevance DESC NULLS LAST, _item_id ASC NULLS LAST) AS _ideal_rank FROM _duckmetrics_judgments WHERE CASE WHEN TRY_CAST(gain AS TEXT) = 'binary' AND NOT CASE WHEN NOT rel IS NULL AND (rel IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(rel AS DOUBLE)), FALSE)) THEN TRY_CAST(rel AS DOUBLE) ELSE NULL END IS NULL THEN _relevance >= CASE WHEN NOT rel IS NULL AND (rel IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(rel AS DOUBLE)), FALSE)) THEN TRY_CAST(rel AS DOUBLE) ELSE NULL END ELSE _relevance > 0 END AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg|dcg|idcg|ndcg')) AS _duckmetrics_ideal JOIN _duckmetrics_queries ON _duckmetrics_queries._query_id = _duckmetrics_ideal._query_id JOIN _duckmetrics_judged_queries_2 AS _duckmetrics_judged_queries ON _duckmetrics_judged_queries._query_id = _duckmetrics_ideal._query_id LEFT JOIN _duckmetrics_returned_counts ON _duckmetrics_returned_counts._query_id = _duckmetrics_queries._query_id LEFT JOIN _duckmetrics_ranked ON _duckmetrics_ranked._query_id = _duckmetrics_ideal._query_id AND _duckmetrics_ranked._item_id = _duckmetrics_ideal._item_id WHERE NOT CASE WHEN NOT rel IS NULL AND (rel IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(rel AS DOUBLE)), FALSE)) THEN TRY_CAST(rel AS DOUBLE) ELSE NULL END IS NULL AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg|dcg|idcg|ndcg')),
_duckmetrics_returned_2 AS (SELECT '' AS _system, _duckmetrics_ranked._query_id, _duckmetrics_ranked._item_id, _duckmetrics_ranked._rank, MIN(_duckmetrics_ranked._rank) OVER (PARTITION BY _duckmetrics_ranked._query_id, _duckmetrics_ranked._score) AS _tie_first, MAX(_duckmetrics_ranked._rank) OVER (PARTITION BY _duckmetrics_ranked._query_id, _duckmetrics_ranked._score) AS _tie_last, _duckmetrics_grades._relevance, COALESCE(_duckmetrics_grades._is_relevant, FALSE) AS _is_relevant, _duckmetrics_judged_queries._m, _duckmetrics_judged_queries._n_nonrelevant, _duckmetrics_returned_counts._n_returned FROM _duckmetrics_ranked JOIN _duckmetrics_queries ON _duckmetrics_queries._query_id = _duckmetrics_ranked._query_id JOIN _duckmetrics_returned_counts ON _duckmetrics_returned_counts._query_id = _duckmetrics_ranked._query_id LEFT JOIN _duckmetrics_judged_queries_2 AS _duckmetrics_judged_queries ON _duckmetrics_judged_queries._query_id = _duckmetrics_ranked._query_id LEFT JOIN _duckmetrics_grades_2 AS _duckmetrics_grades ON _duckmetrics_grades._query_id = _duckmetrics_ranked._query_id AND _duckmetrics_grades._item_id = _duckmetrics_ranked._item_id WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg|dcg|idcg|ndcg')),
_duckmetrics_placed AS (SELECT '' AS _system, _query_id, _relevance, TRUE AS _is_relevant, NULL AS _tie_first, _rank AS _position FROM _duckmetrics_relevant_2 AS _duckmetrics_relevant WHERE TRY_CAST(ties AS TEXT) <> 'expected' AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg|dcg|ndcg') UNION ALL SELECT '' AS _system, _duckmetrics_queries._query_id, _relevance, _is_relevant, _tie_first, _rank AS _position FROM _duckmetrics_queries LEFT JOIN _duckmetrics_returned_2 AS _duckmetrics_returned ON _duckmetrics_returned._query_id = _duckmetrics_queries._query_id WHERE TRY_CAST(ties AS TEXT) = 'expected' AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg|dcg|ndcg')),
_duckmetrics_grades_3 AS (SELECT _query_id, _item_id, _relevance, _relevance > 0 AS _is_relevant FROM _duckmetrics_judgments WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'err|judged')),
_duckmetrics_judged_queries_3 AS (SELECT _query_id, COUNT(*) FILTER(WHERE _is_relevant) AS _m, COUNT(*) FILTER(WHERE NOT _is_relevant) AS _n_nonrelevant FROM _duckmetrics_grades_3 AS _duckmetrics_grades WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'err|judged') GROUP BY _query_id),
_duckmetrics_placed_2 AS (SELECT '' AS _system, _query_id, _relevance, TRUE AS _is_relevant, NULL AS _tie_first, CASE TRY_CAST(ideal AS TEXT) WHEN 'none' THEN _rank WHEN 'returned' THEN _returned_ideal_rank ELSE _ideal_rank END AS _position FROM _duckmetrics_relevant_2 AS _duckmetrics_relevant WHERE (TRY_CAST(ideal AS TEXT) <> 'full_k' AND (TRY_CAST(ties AS TEXT) <> 'expected' OR TRY_CAST(ideal AS TEXT) <> 'none')) AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'idcg|ndcg') UNION ALL SELECT '' AS _system, _duckmetrics_queries._query_id, _relevance, _is_relevant, _tie_first, _rank AS _position FROM _duckmetrics_queries LEFT JOIN _duckmetrics_returned_2 AS _duckmetrics_returned ON _duckmetrics_returned._query_id = _duckmetrics_queries._query_id WHERE (TRY_CAST(ties AS TEXT) = 'expected' AND TRY_CAST(ideal AS TEXT) = 'none') AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'idcg|ndcg') UNION ALL SELECT '' AS _system, _query_id, MAX(_relevance) AS _relevance, TRUE AS _is_relevant, NULL AS _tie_first, _duckmetrics_slots._position FROM _duckmetrics_relevant_2 AS _duckmetrics_relevant CROSS JOIN RANGE(1, CAST(LIST_MAX(DUCKMETRICS_FN_ALL_CUTOFFS(metrics)) AS BIGINT) + 1) AS _duckmetrics_slots(_position) WHERE TRY_CAST(ideal AS TEXT) = 'full_k' AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'idcg|ndcg') GROUP BY _query_id, _duckmetrics_slots._position),
_duckmetrics_aggregations AS (SELECT UNNEST(['gmean', 'mean', 'sum', 'median', 'p1', 'p5', 'p10', 'p25', 'p50', 'p75', 'p90', 'p95', 'p99']) AS _name)
SELECT _duckmetrics_query_values._segment, _duckmetrics_query_values._metric, _duckmetrics_query_values._agg, _duckmetrics_query_values._query_id, _duckmetrics_query_values._value, _duckmetrics_query_values._missing, _duckmetrics_query_values._no_relevant, _duckmetrics_query_values._undefined FROM (SELECT _duckmetrics_specs._segment, _duckmetrics_specs._metric, _duckmetrics_specs._agg, _duckmetrics_per_query._query_id, _duckmetrics_per_query._missing, CASE _duckmetrics_specs._measure WHEN 'average_precision' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'average_precision|ap|map') THEN _duckmetrics_per_query._value_1 END WHEN 'bpref' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'bpref') THEN _duckmetrics_per_query._value_2 END WHEN 'cg' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg') THEN _duckmetrics_per_query._value_3 END WHEN 'dcg' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'dcg') THEN _duckmetrics_per_query._value_4 END WHEN 'err' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'err') THEN _duckmetrics_per_query._value_5 END WHEN 'f_beta' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'f_beta') THEN _duckmetrics_per_query._value_6 END WHEN 'first_rank' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'first_rank') THEN _duckmetrics_per_query._value_7 END WHEN 'hit_rate' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'hit_rate|hr|success') THEN _duckmetrics_per_query._value_8 END WHEN 'hits' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'hits') THEN _duckmetrics_per_query._value_9 END WHEN 'idcg' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'idcg') THEN _duckmetrics_per_query._value_10 END WHEN 'infap' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'infap') THEN _duckmetrics_per_query._value_11 END WHEN 'iprec' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'iprec|iprec_at_recall') THEN _duckmetrics_per_query._value_12 END WHEN 'judged' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'judged') THEN _duckmetrics_per_query._value_13 END WHEN 'ndcg' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'ndcg') THEN _duckmetrics_per_query._value_14 END WHEN 'precision' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'precision|p') THEN _duckmetrics_per_query._value_15 END WHEN 'query_auc' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'query_auc') THEN _duckmetrics_per_query._value_16 END WHEN 'r_precision' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'r_precision|rprec') THEN _duckmetrics_per_query._value_17 END WHEN 'rbp' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'rbp') THEN _duckmetrics_per_query._value_18 END WHEN 'recall' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'recall') THEN _duckmetrics_per_query._value_19 END WHEN 'reciprocal_rank' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'reciprocal_rank|rr|mrr') THEN _duckmetrics_per_query._value_20 END WHEN 'gmap' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'gmap') THEN _duckmetrics_per_query._value_1 END WHEN 'f1' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'f1') THEN _duckmetrics_per_query._value_21 END WHEN 'mean_rank' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'mean_rank') THEN _duckmetrics_per_query._value_7 END WHEN 'median_rank' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'median_rank') THEN _duckmetrics_per_query._value_7 END END AS _value, CASE _duckmetrics_specs._measure WHEN 'average_precision' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'average_precision|ap|map') THEN _duckmetrics_per_query._no_relevant_1 END WHEN 'bpref' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'bpref') THEN _duckmetrics_per_query._no_relevant_1 END WHEN 'cg' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg') THEN _duckmetrics_per_query._no_relevant_2 END WHEN 'dcg' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'dcg') THEN _duckmetrics_per_query._no_relevant_2 END WHEN 'err' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'err') THEN _duckmetrics_per_query._no_relevant_3 END WHEN 'f_beta' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'f_beta') THEN _duckmetrics_per_query._no_relevant_1 END WHEN 'first_rank' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'first_rank') THEN _duckmetrics_per_query._no_relevant_1 END WHEN 'hit_rate' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'hit_rate|hr|success') THEN _duckmetrics_per_query._no_relevant_1 END WHEN 'hits' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'hits') THEN _duckmetrics_per_query._no_relevant_1 END WHEN 'idcg' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'idcg') THEN _duckmetrics_per_query._no_relevant_4 END WHEN 'infap' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'infap') THEN _duckmetrics_per_query._no_relevant_1 END WHEN 'iprec' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'iprec|iprec_at_recall') THEN _duckmetrics_per_query._no_relevant_1 END WHEN 'judged' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'judged') THEN _duckmetrics_per_query._no_relevant_3 END WHEN 'ndcg' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'ndcg') THEN _duckmetrics_per_query._no_relevant_5 END WHEN 'precision' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'precision|p') THEN _duckmetrics_per_query._no_relevant_1 END WHEN 'query_auc' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'query_auc') THEN _duckmetrics_per_query._no_relevant_1 END WHEN 'r_precision' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'r_precision|rprec') THEN _duckmetrics_per_query._no_relevant_1 END WHEN 'rbp' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'rbp') THEN _duckmetrics_per_query._no_relevant_1 END WHEN 'recall' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'recall') THEN _duckmetrics_per_query._no_relevant_1 END WHEN 'reciprocal_rank' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'reciprocal_rank|rr|mrr') THEN _duckmetrics_per_query._no_relevant_1 END WHEN 'gmap' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'gmap') THEN _duckmetrics_per_query._no_relevant_1 END WHEN 'f1' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'f1') THEN _duckmetrics_per_query._no_relevant_1 END WHEN 'mean_rank' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'mean_rank') THEN _duckmetrics_per_query._no_relevant_1 END WHEN 'median_rank' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'median_rank') THEN _duckmetrics_per_query._no_relevant_1 END END AS _no_relevant, CASE _duckmetrics_specs._measure WHEN 'average_precision' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'average_precision|ap|map') THEN _duckmetrics_per_query._undefined_1 END WHEN 'bpref' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'bpref') THEN _duckmetrics_per_query._undefined_2 END WHEN 'cg' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg') THEN _duckmetrics_per_query._undefined_3 END WHEN 'dcg' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'dcg') THEN _duckmetrics_per_query._undefined_4 END WHEN 'err' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'err') THEN _duckmetrics_per_query._undefined_5 END WHEN 'f_beta' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'f_beta') THEN _duckmetrics_per_query._undefined_6 END WHEN 'first_rank' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'first_rank') THEN _duckmetrics_per_query._undefined_7 END WHEN 'hit_rate' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'hit_rate|hr|success') THEN _duckmetrics_per_query._undefined_8 END WHEN 'hits' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'hits') THEN _duckmetrics_per_query._undefined_9 END WHEN 'idcg' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'idcg') THEN _duckmetrics_per_query._undefined_10 END WHEN 'infap' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'infap') THEN _duckmetrics_per_query._undefined_11 END WHEN 'iprec' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'iprec|iprec_at_recall') THEN _duckmetrics_per_query._undefined_12 END WHEN 'judged' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'judged') THEN _duckmetrics_per_query._undefined_13 END WHEN 'ndcg' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'ndcg') THEN _duckmetrics_per_query._undefined_14 END WHEN 'precision' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'precision|p') THEN _duckmetrics_per_query._undefined_15 END WHEN 'query_auc' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'query_auc') THEN _duckmetrics_per_query._undefined_16 END WHEN 'r_precision' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'r_precision|rprec') THEN _duckmetrics_per_query._undefined_17 END WHEN 'rbp' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'rbp') THEN _duckmetrics_per_query._undefined_18 END WHEN 'recall' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'recall') THEN _duckmetrics_per_query._undefined_19 END WHEN 'reciprocal_rank' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'reciprocal_rank|rr|mrr') THEN _duckmetrics_per_query._undefined_20 END WHEN 'gmap' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'gmap') THEN _duckmetrics_per_query._undefined_1 END WHEN 'f1' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'f1') THEN _duckmetrics_per_query._undefined_21 END WHEN 'mean_rank' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'mean_rank') THEN _duckmetrics_per_query._undefined_7 END WHEN 'median_rank' THEN CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'median_rank') THEN _duckmetrics_per_query._undefined_7 END END AS _undefined FROM _duckmetrics_specs JOIN (SELECT '' AS _system, _duckmetrics_queries._query_id AS _query_id, _duckmetrics_queries._missing AS _missing, CASE WHEN (COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_relevant._v1 END AS _value_1, COALESCE(_duckmetrics_judged_queries._m, 0) = 0 AS _no_relevant_1, _duckmetrics_per_query_of_relevant._v1 IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_1, CASE WHEN (COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_preferences._v1 END AS _value_2, _duckmetrics_per_query_of_preferences._v1 IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_2, CASE WHEN (COALESCE(_duckmetrics_judged_queries_2._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_averaged._v1 END AS _value_3, COALESCE(_duckmetrics_judged_queries_2._m, 0) = 0 AS _no_relevant_2, _duckmetrics_per_query_of_averaged._v1 IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries_2._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_3, CASE WHEN (COALESCE(_duckmetrics_judged_queries_2._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_averaged._v2 END AS _value_4, _duckmetrics_per_query_of_averaged._v2 IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries_2._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_4, CASE WHEN (COALESCE(_duckmetrics_judged_queries_3._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_cascade._v1 END AS _value_5, COALESCE(_duckmetrics_judged_queries_3._m, 0) = 0 AS _no_relevant_3, _duckmetrics_per_query_of_cascade._v1 IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries_3._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_5, CASE WHEN (COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE CASE WHEN _duckmetrics_per_query_of_relevant._v3 = 0 THEN 0e0 ELSE (1 + TRY_CAST(beta AS DOUBLE) * TRY_CAST(beta AS DOUBLE)) * _duckmetrics_per_query_of_relevant._v2 * _duckmetrics_per_query_of_relevant._v3 / NULLIF(TRY_CAST(beta AS DOUBLE) * TRY_CAST(beta AS DOUBLE) * _duckmetrics_per_query_of_relevant._v2 + _duckmetrics_per_query_of_relevant._v3, 0) END END AS _value_6, CASE WHEN _duckmetrics_per_query_of_relevant._v3 = 0 THEN 0e0 ELSE (1 + TRY_CAST(beta AS DOUBLE) * TRY_CAST(beta AS DOUBLE)) * _duckmetrics_per_query_of_relevant._v2 * _duckmetrics_per_query_of_relevant._v3 / NULLIF(TRY_CAST(beta AS DOUBLE) * TRY_CAST(beta AS DOUBLE) * _duckmetrics_per_query_of_relevant._v2 + _duckmetrics_per_query_of_relevant._v3, 0) END IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_6, CASE WHEN COALESCE(_duckmetrics_judged_queries._m, 0) = 0 THEN NULL WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('undefined', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'undefined' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('undefined', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'undefined' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_relevant._v4 END AS _value_7, _duckmetrics_per_query_of_relevant._v4 IS NULL AND NOT (COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('undefined', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'undefined' END <> 'undefined') AS _undefined_7, CASE WHEN (COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_relevant._v5 END AS _value_8, _duckmetrics_per_query_of_relevant._v5 IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_8, CASE WHEN (COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_relevant._v6 END AS _value_9, _duckmetrics_per_query_of_relevant._v6 IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_9, CASE WHEN (COALESCE(_duckmetrics_judged_queries_2._m, 0) = 0 OR (TRY_CAST(ideal AS TEXT) = 'returned' AND _duckmetrics_per_query_of_averaged_2._v1 IS NULL AND NOT _duckmetrics_queries._missing)) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_averaged_2._v1 END AS _value_10, COALESCE(_duckmetrics_judged_queries_2._m, 0) = 0 OR (TRY_CAST(ideal AS TEXT) = 'returned' AND _duckmetrics_per_query_of_averaged_2._v1 IS NULL AND NOT _duckmetrics_queries._missing) AS _no_relevant_4, _duckmetrics_per_query_of_averaged_2._v1 IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries_2._m, 0) = 0 OR (TRY_CAST(ideal AS TEXT) = 'returned' AND _duckmetrics_per_query_of_averaged_2._v1 IS NULL AND NOT _duckmetrics_queries._missing)) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_10, CASE WHEN (COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_judged_above._v1 END AS _value_11, _duckmetrics_per_query_of_judged_above._v1 IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_11, CASE WHEN (COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_relevant._v7 END AS _value_12, _duckmetrics_per_query_of_relevant._v7 IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_12, CASE WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_returned_3._v1 END AS _value_13, _duckmetrics_per_query_of_returned_3._v1 IS NULL AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_13, CASE WHEN (COALESCE(_duckmetrics_judged_queries_2._m, 0) = 0 OR (TRY_CAST(ideal AS TEXT) = 'returned' AND (COALESCE(_duckmetrics_per_query_of_averaged._v2, 0) / NULLIF(_duckmetrics_per_query_of_averaged_2._v1, 0)) IS NULL AND NOT _duckmetrics_queries._missing)) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE COALESCE(_duckmetrics_per_query_of_averaged._v2, 0) / NULLIF(_duckmetrics_per_query_of_averaged_2._v1, 0) END AS _value_14, COALESCE(_duckmetrics_judged_queries_2._m, 0) = 0 OR (TRY_CAST(ideal AS TEXT) = 'returned' AND (COALESCE(_duckmetrics_per_query_of_averaged._v2, 0) / NULLIF(_duckmetrics_per_query_of_averaged_2._v1, 0)) IS NULL AND NOT _duckmetrics_queries._missing) AS _no_relevant_5, (COALESCE(_duckmetrics_per_query_of_averaged._v2, 0) / NULLIF(_duckmetrics_per_query_of_averaged_2._v1, 0)) IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries_2._m, 0) = 0 OR (TRY_CAST(ideal AS TEXT) = 'returned' AND (COALESCE(_duckmetrics_per_query_of_averaged._v2, 0) / NULLIF(_duckmetrics_per_query_of_averaged_2._v1, 0)) IS NULL AND NOT _duckmetrics_queries._missing)) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_14, CASE WHEN (COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_relevant._v8 END AS _value_15, _duckmetrics_per_query_of_relevant._v8 IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_15, CASE WHEN (COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_returned._v1 END AS _value_16, _duckmetrics_per_query_of_returned._v1 IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_16, CASE WHEN (COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_relevant._v9 END AS _value_17, _duckmetrics_per_query_of_relevant._v9 IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_17, CASE WHEN (COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_relevant._v10 END AS _value_18, _duckmetrics_per_query_of_relevant._v10 IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_18, CASE WHEN (COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_relevant._v11 END AS _value_19, _duckmetrics_per_query_of_relevant._v11 IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_19, CASE WHEN (COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE _duckmetrics_per_query_of_relevant._v12 END AS _value_20, _duckmetrics_per_query_of_relevant._v12 IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_20, CASE WHEN (COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep' THEN CASE CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END WHEN _duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined' THEN CASE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END WHEN 'zero' THEN 0e0 END ELSE CASE WHEN _duckmetrics_per_query_of_relevant._v3 = 0 THEN 0e0 ELSE (1 + 1.0e0 * 1.0e0) * _duckmetrics_per_query_of_relevant._v2 * _duckmetrics_per_query_of_relevant._v3 / NULLIF(1.0e0 * 1.0e0 * _duckmetrics_per_query_of_relevant._v2 + _duckmetrics_per_query_of_relevant._v3, 0) END END AS _value_21, CASE WHEN _duckmetrics_per_query_of_relevant._v3 = 0 THEN 0e0 ELSE (1 + 1.0e0 * 1.0e0) * _duckmetrics_per_query_of_relevant._v2 * _duckmetrics_per_query_of_relevant._v3 / NULLIF(1.0e0 * 1.0e0 * _duckmetrics_per_query_of_relevant._v2 + _duckmetrics_per_query_of_relevant._v3, 0) END IS NULL AND NOT ((COALESCE(_duckmetrics_judged_queries._m, 0) = 0) AND CASE WHEN NOT no_relevant IS NULL AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE) THEN TRY_CAST(no_relevant AS TEXT) ELSE 'null' END <> 'keep') AND NOT (_duckmetrics_queries._missing AND CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END <> 'undefined') AS _undefined_21, _duckmetrics_cutoffs._k FROM _duckmetrics_queries CROSS JOIN _duckmetrics_cutoffs LEFT JOIN _duckmetrics_judged_queries ON _duckmetrics_judged_queries._query_id = _duckmetrics_queries._query_id LEFT JOIN (SELECT '' AS _system, _query_id, COALESCE(SUM(CAST(_hit AS DOUBLE) / _rank) FILTER(WHERE _rank <= COALESCE(_duckmetrics_cutoffs._k, _rank)) / NULLIF(CASE CASE WHEN NOT norm IS NULL AND COALESCE(TRUE AND (TRY_CAST(norm AS TEXT) IN ('relevant', 'min_k', 'hits', 'k')), FALSE) THEN TRY_CAST(norm AS TEXT) ELSE 'relevant' END WHEN 'min_k' THEN LEAST(_duckmetrics_cutoffs._k, MAX(_m)) WHEN 'hits' THEN COUNT(*) FILTER(WHERE _rank <= COALESCE(_duckmetrics_cutoffs._k, _rank)) WHEN 'k' THEN _duckmetrics_cutoffs._k ELSE MAX(_m) END, 0), 0) AS _v1, CAST(COUNT(*) FILTER(WHERE _rank <= COALESCE(_duckmetrics_cutoffs._k, _rank)) AS DOUBLE) / NULLIF(CASE WHEN _duckmetrics_cutoffs._k IS NULL THEN LEAST(_duckmetrics_cutoffs._k, MAX(_n_returned)) ELSE _duckmetrics_cutoffs._k END, 0) AS _v2, CAST(COUNT(*) FILTER(WHERE _rank <= COALESCE(_duckmetrics_cutoffs._k, _rank)) AS DOUBLE) / NULLIF(MAX(_m), 0) AS _v3, CAST(MIN(_rank) FILTER(WHERE _rank <= COALESCE(_duckmetrics_cutoffs._k, _rank)) AS DOUBLE) AS _v4, CASE WHEN COUNT(*) FILTER(WHERE _rank <= COALESCE(_duckmetrics_cutoffs._k, _rank)) > 0 THEN 1e0 ELSE 0e0 END AS _v5, CAST(COUNT(*) FILTER(WHERE _rank <= COALESCE(_duckmetrics_cutoffs._k, _rank)) AS DOUBLE) AS _v6, COALESCE(MAX(CAST(_hit AS DOUBLE) / _rank) FILTER(WHERE _hit >= FLOOR(TRY_CAST(recall AS DOUBLE) * _m + CASE TRY_CAST(rounding AS TEXT) WHEN 'up' THEN 9e-1 ELSE 5e-1 END)), 0) AS _v7, CAST(COUNT(*) FILTER(WHERE _rank <= COALESCE(_duckmetrics_cutoffs._k, _rank)) AS DOUBLE) / NULLIF(CASE WHEN _duckmetrics_cutoffs._k IS NULL OR CASE WHEN NOT norm IS NULL AND COALESCE(TRUE AND (TRY_CAST(norm AS TEXT) IN ('k', 'returned')), FALSE) THEN TRY_CAST(norm AS TEXT) ELSE 'k' END = 'returned' THEN LEAST(_duckmetrics_cutoffs._k, MAX(_n_returned)) ELSE _duckmetrics_cutoffs._k END, 0) AS _v8, CAST(COUNT(*) FILTER(WHERE _rank <= _m) AS DOUBLE) / NULLIF(MAX(_m), 0) AS _v9, (1 - TRY_CAST(p AS DOUBLE)) * COALESCE(SUM(POWER(TRY_CAST(p AS DOUBLE), _rank - 1)) FILTER(WHERE _rank <= COALESCE(_duckmetrics_cutoffs._k, _rank)), 0) AS _v10, CAST(COUNT(*) FILTER(WHERE _rank <= COALESCE(_duckmetrics_cutoffs._k, _rank)) AS DOUBLE) / NULLIF(CASE CASE WHEN NOT norm IS NULL AND COALESCE(TRUE AND (TRY_CAST(norm AS TEXT) IN ('relevant', 'min_k', 'hits', 'k')), FALSE) THEN TRY_CAST(norm AS TEXT) ELSE 'relevant' END WHEN 'min_k' THEN LEAST(_duckmetrics_cutoffs._k, MAX(_m)) ELSE MAX(_m) END, 0) AS _v11, COALESCE(1e0 / MIN(_rank) FILTER(WHERE _rank <= COALESCE(_duckmetrics_cutoffs._k, _rank)), 0) AS _v12, _duckmetrics_cutoffs._k FROM _duckmetrics_relevant CROSS JOIN _duckmetrics_cutoffs WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'average_precision|ap|map|f_beta|first_rank|hit_rate|hr|success|hits|iprec|iprec_at_recall|precision|p|r_precision|rprec|rbp|recall|reciprocal_rank|rr|mrr|gmap|f1|mean_rank|median_rank') GROUP BY _query_id, _duckmetrics_cutoffs._k) AS _duckmetrics_per_query_of_relevant ON _duckmetrics_per_query_of_relevant._query_id = _duckmetrics_queries._query_id AND _duckmetrics_per_query_of_relevant._k IS NOT DISTINCT FROM _duckmetrics_cutoffs._k LEFT JOIN (SELECT '' AS _system, _query_id, COALESCE(SUM(1 - CAST(LEAST(_nonrelevant_above, _m) AS DOUBLE) / LEAST(NULLIF(_n_nonrelevant, 0), _m)) FILTER(WHERE _is_relevant) / NULLIF(MAX(_m), 0), 0) AS _v1 FROM (SELECT '' AS _system, _duckmetrics_queries._query_id, _is_relevant, _m, _n_nonrelevant, SUM(CASE WHEN NOT _relevance IS NULL AND NOT _is_relevant THEN 1 ELSE 0 END) OVER (PARTITION BY _duckmetrics_queries._query_id ORDER BY _rank ASC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _nonrelevant_above FROM _duckmetrics_queries LEFT JOIN _duckmetrics_returned ON _duckmetrics_returned._query_id = _duckmetrics_queries._query_id WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'bpref')) AS _duckmetrics_preferences WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'bpref') GROUP BY _query_id) AS _duckmetrics_per_query_of_preferences ON _duckmetrics_per_query_of_preferences._query_id = _duckmetrics_queries._query_id LEFT JOIN _duckmetrics_judged_queries_2 ON _duckmetrics_judged_queries_2._query_id = _duckmetrics_queries._query_id LEFT JOIN (SELECT '' AS _system, _query_id, COALESCE(SUM(_gain) FILTER(WHERE _position <= COALESCE(_duckmetrics_cutoffs._k, _position)), 0) AS _v1, COALESCE(SUM(_gain * CASE TRY_CAST(discount AS TEXT) WHEN 'log2' THEN 1e0 / LOG(2, _position + 1) WHEN 'log2_clip' THEN 1e0 / GREATEST(1e0, LOG(2, _position)) ELSE 1e0 / _position END) FILTER(WHERE _position <= COALESCE(_duckmetrics_cutoffs._k, _position)), 0) AS _v2, _duckmetrics_cutoffs._k FROM (SELECT '' AS _system, _query_id, _position, CASE WHEN NOT _is_relevant THEN 0e0 WHEN TRY_CAST(gain AS TEXT) = 'exp2' THEN POWER(2e0, _relevance) - 1 WHEN TRY_CAST(gain AS TEXT) = 'binary' THEN 1e0 ELSE _relevance END AS _gain FROM _duckmetrics_placed WHERE TRY_CAST(ties AS TEXT) <> 'expected' AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg|dcg|ndcg') UNION ALL SELECT '' AS _system, _query_id, _position, AVG(CASE WHEN NOT _is_relevant THEN 0e0 WHEN TRY_CAST(gain AS TEXT) = 'exp2' THEN POWER(2e0, _relevance) - 1 WHEN TRY_CAST(gain AS TEXT) = 'binary' THEN 1e0 ELSE _relevance END) OVER (PARTITION BY _query_id, _tie_first) AS _gain FROM _duckmetrics_placed WHERE TRY_CAST(ties AS TEXT) = 'expected' AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg|dcg|ndcg')) AS _duckmetrics_averaged CROSS JOIN _duckmetrics_cutoffs WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'cg|dcg|ndcg') GROUP BY _query_id, _duckmetrics_cutoffs._k) AS _duckmetrics_per_query_of_averaged ON _duckmetrics_per_query_of_averaged._query_id = _duckmetrics_queries._query_id AND _duckmetrics_per_query_of_averaged._k IS NOT DISTINCT FROM _duckmetrics_cutoffs._k LEFT JOIN _duckmetrics_judged_queries_3 ON _duckmetrics_judged_queries_3._query_id = _duckmetrics_queries._query_id LEFT JOIN (SELECT '' AS _system, _query_id, COALESCE(SUM(_reached * _stop / _rank) FILTER(WHERE _rank <= COALESCE(_duckmetrics_cutoffs._k, _rank)), 0) AS _v1, _duckmetrics_cutoffs._k FROM (SELECT '' AS _system, _query_id, _rank, _stop, EXP(COALESCE(SUM(LN(1 - _stop)) OVER (PARTITION BY _query_id ORDER BY COALESCE(_rank, 2147483647) ASC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)) AS _reached FROM (SELECT '' AS _system, _query_id, _rank, (POWER(2e0, _relevance) - 1) / POWER(2e0, TRY_CAST(max_grade AS DOUBLE)) AS _stop FROM (SELECT _system, _query_id, _item_id, _relevance, _ideal_rank, _m, _n_returned, _rank, _hit, _returned_ideal_rank FROM _duckmetrics_relevant WHERE CASE WHEN NOT rel IS NULL AND (rel IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(rel AS DOUBLE)), FALSE)) THEN TRY_CAST(rel AS DOUBLE) ELSE NULL END IS NULL AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'err') UNION ALL SELECT '' AS _system, _duckmetrics_queries._query_id, _duckmetrics_ideal._item_id, _duckmetrics_ideal._relevance, CASE WHEN TRY_CAST(duplicates AS TEXT) <> 'count' THEN _duckmetrics_ideal._ideal_rank WHEN ROW_NUMBER() OVER (PARTITION BY _duckmetrics_queries._query_id, _duckmetrics_ideal._ideal_rank ORDER BY COALESCE(_duckmetrics_ranked._rank, 2147483647) ASC NULLS LAST) = 1 THEN _duckmetrics_ideal._ideal_rank END AS _ideal_rank, _duckmetrics_judged_queries._m, COALESCE(_duckmetrics_returned_counts._n_returned, 0) AS _n_returned, _duckmetrics_ranked._rank AS _rank, CASE WHEN NOT _duckmetrics_ranked._rank IS NULL THEN ROW_NUMBER() OVER (PARTITION BY _duckmetrics_queries._query_id ORDER BY COALESCE(_duckmetrics_ranked._rank, 2147483647) ASC NULLS LAST) END AS _hit, CASE WHEN NOT _duckmetrics_ranked._rank IS NULL THEN ROW_NUMBER() OVER (PARTITION BY _duckmetrics_queries._query_id ORDER BY CASE WHEN _duckmetrics_ranked._rank IS NULL THEN 1 ELSE 0 END ASC NULLS LAST, _duckmetrics_ideal._ideal_rank ASC NULLS LAST, _duckmetrics_ranked._rank ASC NULLS LAST) END AS _returned_ideal_rank FROM (SELECT _query_id, _item_id, _relevance, ROW_NUMBER() OVER (PARTITION BY _query_id ORDER BY _relevance DESC NULLS LAST, _item_id ASC NULLS LAST) AS _ideal_rank FROM _duckmetrics_judgments WHERE _relevance > 0 AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'err')) AS _duckmetrics_ideal JOIN _duckmetrics_queries ON _duckmetrics_queries._query_id = _duckmetrics_ideal._query_id JOIN _duckmetrics_judged_queries_3 AS _duckmetrics_judged_queries ON _duckmetrics_judged_queries._query_id = _duckmetrics_ideal._query_id LEFT JOIN _duckmetrics_returned_counts ON _duckmetrics_returned_counts._query_id = _duckmetrics_queries._query_id LEFT JOIN _duckmetrics_ranked ON _duckmetrics_ranked._query_id = _duckmetrics_ideal._query_id AND _duckmetrics_ranked._item_id = _duckmetrics_ideal._item_id WHERE NOT CASE WHEN NOT rel IS NULL AND (rel IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(rel AS DOUBLE)), FALSE)) THEN TRY_CAST(rel AS DOUBLE) ELSE NULL END IS NULL AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'err')) AS _duckmetrics_relevant WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'err')) AS _duckmetrics_stops WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'err')) AS _duckmetrics_cascade CROSS JOIN _duckmetrics_cutoffs WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'err') GROUP BY _query_id, _duckmetrics_cutoffs._k) AS _duckmetrics_per_query_of_cascade ON _duckmetrics_per_query_of_cascade._query_id = _duckmetrics_queries._query_id AND _duckmetrics_per_query_of_cascade._k IS NOT DISTINCT FROM _duckmetrics_cutoffs._k LEFT JOIN (SELECT '' AS _system, _query_id, SUM(_gain * CASE TRY_CAST(discount AS TEXT) WHEN 'log2' THEN 1e0 / LOG(2, _position + 1) WHEN 'log2_clip' THEN 1e0 / GREATEST(1e0, LOG(2, _position)) ELSE 1e0 / _position END) FILTER(WHERE _position <= COALESCE(_duckmetrics_cutoffs._k, _position)) AS _v1, _duckmetrics_cutoffs._k FROM (SELECT '' AS _system, _query_id, _position, CASE WHEN NOT _is_relevant THEN 0e0 WHEN TRY_CAST(gain AS TEXT) = 'exp2' THEN POWER(2e0, _relevance) - 1 WHEN TRY_CAST(gain AS TEXT) = 'binary' THEN 1e0 ELSE _relevance END AS _gain FROM _duckmetrics_placed_2 AS _duckmetrics_placed WHERE (TRY_CAST(ties AS TEXT) <> 'expected' OR TRY_CAST(ideal AS TEXT) <> 'none') AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'idcg|ndcg') UNION ALL SELECT '' AS _system, _query_id, _position, AVG(CASE WHEN NOT _is_relevant THEN 0e0 WHEN TRY_CAST(gain AS TEXT) = 'exp2' THEN POWER(2e0, _relevance) - 1 WHEN TRY_CAST(gain AS TEXT) = 'binary' THEN 1e0 ELSE _relevance END) OVER (PARTITION BY _query_id, _tie_first) AS _gain FROM _duckmetrics_placed_2 AS _duckmetrics_placed WHERE (TRY_CAST(ties AS TEXT) = 'expected' AND TRY_CAST(ideal AS TEXT) = 'none') AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'idcg|ndcg')) AS _duckmetrics_averaged CROSS JOIN _duckmetrics_cutoffs WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'idcg|ndcg') GROUP BY _query_id, _duckmetrics_cutoffs._k) AS _duckmetrics_per_query_of_averaged_2 ON _duckmetrics_per_query_of_averaged_2._query_id = _duckmetrics_queries._query_id AND _duckmetrics_per_query_of_averaged_2._k IS NOT DISTINCT FROM _duckmetrics_cutoffs._k LEFT JOIN (SELECT '' AS _system, _query_id, COALESCE(SUM(1e0 / _rank + (CAST(_relevant_above + _nonrelevant_above AS DOUBLE) / _rank) * (_relevant_above + 1e-5) / (_relevant_above + _nonrelevant_above + 2e-5)) FILTER(WHERE _is_relevant) / NULLIF(MAX(_m), 0), 0) AS _v1 FROM (SELECT '' AS _system, _duckmetrics_queries._query_id, _is_relevant, _m, _rank, SUM(CASE WHEN _is_relevant THEN 1 ELSE 0 END) OVER (PARTITION BY _duckmetrics_queries._query_id ORDER BY _rank ASC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - 1 AS _relevant_above, SUM(CASE WHEN NOT _relevance IS NULL AND NOT _is_relevant THEN 1 ELSE 0 END) OVER (PARTITION BY _duckmetrics_queries._query_id ORDER BY _rank ASC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _nonrelevant_above FROM _duckmetrics_queries LEFT JOIN _duckmetrics_returned ON _duckmetrics_returned._query_id = _duckmetrics_queries._query_id WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'infap')) AS _duckmetrics_judged_above WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'infap') GROUP BY _query_id) AS _duckmetrics_per_query_of_judged_above ON _duckmetrics_per_query_of_judged_above._query_id = _duckmetrics_queries._query_id LEFT JOIN (SELECT '' AS _system, _query_id, CAST(COUNT(_relevance) FILTER(WHERE _rank <= COALESCE(_duckmetrics_cutoffs._k, _rank)) AS DOUBLE) / NULLIF(LEAST(_duckmetrics_cutoffs._k, MAX(_n_returned)), 0) AS _v1, _duckmetrics_cutoffs._k FROM (SELECT '' AS _system, _duckmetrics_ranked._query_id, _duckmetrics_ranked._item_id, _duckmetrics_ranked._rank, MIN(_duckmetrics_ranked._rank) OVER (PARTITION BY _duckmetrics_ranked._query_id, _duckmetrics_ranked._score) AS _tie_first, MAX(_duckmetrics_ranked._rank) OVER (PARTITION BY _duckmetrics_ranked._query_id, _duckmetrics_ranked._score) AS _tie_last, _duckmetrics_grades._relevance, COALESCE(_duckmetrics_grades._is_relevant, FALSE) AS _is_relevant, _duckmetrics_judged_queries._m, _duckmetrics_judged_queries._n_nonrelevant, _duckmetrics_returned_counts._n_returned FROM _duckmetrics_ranked JOIN _duckmetrics_queries ON _duckmetrics_queries._query_id = _duckmetrics_ranked._query_id JOIN _duckmetrics_returned_counts ON _duckmetrics_returned_counts._query_id = _duckmetrics_ranked._query_id LEFT JOIN _duckmetrics_judged_queries_3 AS _duckmetrics_judged_queries ON _duckmetrics_judged_queries._query_id = _duckmetrics_ranked._query_id LEFT JOIN _duckmetrics_grades_3 AS _duckmetrics_grades ON _duckmetrics_grades._query_id = _duckmetrics_ranked._query_id AND _duckmetrics_grades._item_id = _duckmetrics_ranked._item_id WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'judged')) AS _duckmetrics_returned CROSS JOIN _duckmetrics_cutoffs WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'judged') GROUP BY _query_id, _duckmetrics_cutoffs._k) AS _duckmetrics_per_query_of_returned_3 ON _duckmetrics_per_query_of_returned_3._query_id = _duckmetrics_queries._query_id AND _duckmetrics_per_query_of_returned_3._k IS NOT DISTINCT FROM _duckmetrics_cutoffs._k LEFT JOIN (SELECT '' AS _system, _query_id, 1 - (SUM((_tie_first + _tie_last) / 2e0) FILTER(WHERE _is_relevant) - COUNT(*) FILTER(WHERE _is_relevant) * (COUNT(*) FILTER(WHERE _is_relevant) + 1) / 2e0) / NULLIF(CAST(COUNT(*) FILTER(WHERE _is_relevant) AS DOUBLE) * COUNT(*) FILTER(WHERE NOT _is_relevant), 0) AS _v1 FROM _duckmetrics_returned WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'query_auc') GROUP BY _query_id) AS _duckmetrics_per_query_of_returned ON _duckmetrics_per_query_of_returned._query_id = _duckmetrics_queries._query_id) AS _duckmetrics_per_query ON _duckmetrics_specs._k IS NOT DISTINCT FROM _duckmetrics_per_query._k) AS _duckmetrics_query_values CROSS JOIN (SELECT CASE WHEN COUNT(*) > 0 THEN ERROR('duckmetrics: ' || COALESCE(ARG_MIN(_problem, _place), 'the input cannot be evaluated')) ELSE TRUE END AS _fine FROM (SELECT CASE WHEN DUCKMETRICS_FN_METRIC_NAME(_metric) = '' THEN '''' || _metric || ''' cannot be read; write name@k, and for other parameters take the macro of the metric' WHEN _measure IS NULL THEN '''' || _metric || ''' is no metric here; did you mean ''' || (SELECT ARG_MAX(_name, JARO_WINKLER_SIMILARITY(_name, DUCKMETRICS_FN_METRIC_NAME(_metric))) FROM _duckmetrics_known) || '''?' WHEN _k <= 0 THEN '''' || _metric || ''': the cut-off must be a positive whole number, such as @10' WHEN NOT _k IS NULL AND NOT _has_cutoff THEN '''' || _metric || ''' has no cut-off; drop it' ELSE '''' || _metric || ''' is asked for twice; name each metric once' END AS _problem, 0 AS _place FROM _duckmetrics_specs WHERE _measure IS NULL OR _k <= 0 OR (NOT _k IS NULL AND NOT _has_cutoff) OR _metric IN (SELECT _metric FROM _duckmetrics_specs GROUP BY _metric HAVING COUNT(*) > 1) UNION ALL SELECT 'agg cannot be ''' || COALESCE(_agg, 'NULL') || '''; choose ' || (SELECT LISTAGG(_name, ' or ' ORDER BY _name ASC NULLS LAST) FROM _duckmetrics_aggregations) AS _problem, 1 AS _place FROM _duckmetrics_specs WHERE _agg IS NULL OR NOT _agg IN (SELECT _name FROM _duckmetrics_aggregations) UNION ALL SELECT _problem, 2 AS _place FROM (SELECT 'truth: no rows; check how it was exported' AS _problem WHERE NOT EXISTS(SELECT 1 FROM _duckmetrics_truth) UNION ALL SELECT 'population: no rows; check it, or choose truth, predictions or both' AS _problem WHERE DUCKMETRICS_FN_POPULATION_WORD(population) = 'table' AND NOT EXISTS(SELECT 1 FROM _duckmetrics_population)) AS _duckmetrics_found UNION ALL SELECT 'ties := ''input'' needs the order of the rows; name the column that holds it with "position" := ...' AS _problem, 3 AS _place WHERE ties = 'input' AND "position" IS NULL UNION ALL SELECT CASE WHEN DUCKMETRICS_FN_KIND(_predicted_query) <> DUCKMETRICS_FN_KIND(_judged_query) THEN 'query_id: predictions have ' || _predicted_query || ', the truth has ' || _judged_query WHEN DUCKMETRICS_FN_KIND(_predicted_item) <> DUCKMETRICS_FN_KIND(_judged_item) THEN 'item_id: predictions have ' || _predicted_item || ', the truth has ' || _judged_item ELSE 'query_id: the population has ' || _listed_query || ', the truth has ' || _judged_query END || '; make them one kind with a CAST' AS _problem, 4 AS _place FROM (SELECT (SELECT TYPEOF(_query_id) FROM _duckmetrics_predictions LIMIT 1) AS _predicted_query, (SELECT TYPEOF(_query_id) FROM _duckmetrics_truth LIMIT 1) AS _judged_query, (SELECT TYPEOF(_item_id) FROM _duckmetrics_predictions LIMIT 1) AS _predicted_item, (SELECT TYPEOF(_item_id) FROM _duckmetrics_truth LIMIT 1) AS _judged_item, (SELECT TYPEOF(_query_id) FROM _duckmetrics_population LIMIT 1) AS _listed_query) AS _duckmetrics_found WHERE DUCKMETRICS_FN_KIND(_predicted_query) <> DUCKMETRICS_FN_KIND(_judged_query) OR DUCKMETRICS_FN_KIND(_predicted_item) <> DUCKMETRICS_FN_KIND(_judged_item) OR DUCKMETRICS_FN_KIND(_listed_query) <> DUCKMETRICS_FN_KIND(_judged_query) UNION ALL SELECT _problem, 5 AS _place FROM (SELECT CASE WHEN CAST(norm AS TEXT) IS DISTINCT FROM CAST(NULL AS TEXT) AND COUNT(*) FILTER(WHERE (_measure IN ('average_precision', 'gmap') AND COALESCE(TRUE AND (TRY_CAST(norm AS TEXT) IN ('relevant', 'min_k', 'hits', 'k')), FALSE)) OR (_measure IN ('precision') AND COALESCE(TRUE AND (TRY_CAST(norm AS TEXT) IN ('k', 'returned')), FALSE)) OR (_measure IN ('recall') AND COALESCE(TRUE AND (TRY_CAST(norm AS TEXT) IN ('relevant', 'min_k')), FALSE))) = 0 THEN 'norm cannot be ''' || COALESCE(CAST(norm AS TEXT), 'NULL') || ''' for what is asked; choose relevant or min_k or hits or k or returned' WHEN CAST(duplicates AS TEXT) IS DISTINCT FROM CAST('error' AS TEXT) AND COUNT(*) FILTER(WHERE COALESCE(TRUE AND (TRY_CAST(duplicates AS TEXT) IN ('error', 'first', 'count')), FALSE)) = 0 THEN 'duplicates cannot be ''' || COALESCE(CAST(duplicates AS TEXT), 'NULL') || ''' for what is asked; choose error or first or count' WHEN COUNT(*) FILTER(WHERE duplicates IS NULL AND TRUE) > 0 THEN 'duplicates is missing; give it error or another value' WHEN CAST(missing AS TEXT) IS DISTINCT FROM CAST(NULL AS TEXT) AND COUNT(*) FILTER(WHERE (_measure IN ('average_precision', 'bpref', 'cg', 'dcg', 'err', 'f_beta', 'hit_rate', 'hits', 'idcg', 'infap', 'iprec', 'judged', 'ndcg', 'precision', 'query_auc', 'r_precision', 'rbp', 'recall', 'reciprocal_rank', 'gmap', 'f1') AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE)) OR (_measure IN ('first_rank', 'mean_rank', 'median_rank') AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('undefined', 'skip', 'error')), FALSE))) = 0 THEN 'missing cannot be ''' || COALESCE(CAST(missing AS TEXT), 'NULL') || ''' for what is asked; choose zero or skip or error or undefined' WHEN CAST(negative_grade AS TEXT) IS DISTINCT FROM CAST('error' AS TEXT) AND COUNT(*) FILTER(WHERE COALESCE(TRUE AND (TRY_CAST(negative_grade AS TEXT) IN ('error', 'zero')), FALSE)) = 0 THEN 'negative_grade cannot be ''' || COALESCE(CAST(negative_grade AS TEXT), 'NULL') || ''' for what is asked; choose error or zero' WHEN COUNT(*) FILTER(WHERE negative_grade IS NULL AND TRUE) > 0 THEN 'negative_grade is missing; give it error or another value' WHEN CAST(no_relevant AS TEXT) IS DISTINCT FROM CAST('null' AS TEXT) AND COUNT(*) FILTER(WHERE (_measure IN ('average_precision', 'bpref', 'cg', 'dcg', 'err', 'f_beta', 'hit_rate', 'hits', 'idcg', 'infap', 'iprec', 'ndcg', 'precision', 'query_auc', 'r_precision', 'rbp', 'recall', 'reciprocal_rank', 'gmap', 'f1') AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null', 'zero', 'one')), FALSE)) OR (_measure IN ('first_rank') AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null')), FALSE)) OR (_measure IN ('judged') AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('keep')), FALSE)) OR (_measure IN ('mean_rank') AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null')), FALSE)) OR (_measure IN ('median_rank') AND COALESCE(TRUE AND (TRY_CAST(no_relevant AS TEXT) IN ('null')), FALSE))) = 0 THEN 'no_relevant cannot be ''' || COALESCE(CAST(no_relevant AS TEXT), 'NULL') || ''' for what is asked; choose null or zero or one' WHEN COUNT(*) FILTER(WHERE no_relevant IS NULL AND _measure IN ('average_precision', 'bpref', 'cg', 'dcg', 'err', 'f_beta', 'hit_rate', 'hits', 'idcg', 'infap', 'iprec', 'ndcg', 'precision', 'query_auc', 'r_precision', 'rbp', 'recall', 'reciprocal_rank', 'gmap', 'f1')) > 0 THEN 'no_relevant is missing; give it null or another value' WHEN CAST(null_relevance AS TEXT) IS DISTINCT FROM CAST('error' AS TEXT) AND COUNT(*) FILTER(WHERE COALESCE(TRUE AND (TRY_CAST(null_relevance AS TEXT) IN ('error', 'zero')), FALSE)) = 0 THEN 'null_relevance cannot be ''' || COALESCE(CAST(null_relevance AS TEXT), 'NULL') || ''' for what is asked; choose error or zero' WHEN COUNT(*) FILTER(WHERE null_relevance IS NULL AND TRUE) > 0 THEN 'null_relevance is missing; give it error or another value' WHEN CAST(rel AS TEXT) IS DISTINCT FROM CAST(NULL AS TEXT) AND COUNT(*) FILTER(WHERE (_measure IN ('average_precision', 'bpref', 'cg', 'dcg', 'f_beta', 'first_rank', 'hit_rate', 'hits', 'idcg', 'infap', 'iprec', 'ndcg', 'precision', 'query_auc', 'r_precision', 'rbp', 'recall', 'reciprocal_rank', 'gmap', 'f1', 'mean_rank', 'median_rank') AND (rel IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(rel AS DOUBLE)), FALSE))) OR (_measure IN ('err') AND (rel IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(rel AS DOUBLE)) AND (TRY_CAST(rel AS DOUBLE) IS NULL), FALSE))) OR (_measure IN ('judged') AND (rel IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(rel AS DOUBLE)) AND (TRY_CAST(rel AS DOUBLE) IS NULL), FALSE)))) = 0 THEN 'rel cannot be ''' || COALESCE(CAST(rel AS TEXT), 'NULL') || ''' for what is asked; it must be a number' WHEN CAST(scores AS TEXT) IS DISTINCT FROM CAST('double' AS TEXT) AND COUNT(*) FILTER(WHERE COALESCE(TRUE AND (TRY_CAST(scores AS TEXT) IN ('double', 'float32')), FALSE)) = 0 THEN 'scores cannot be ''' || COALESCE(CAST(scores AS TEXT), 'NULL') || ''' for what is asked; choose double or float32' WHEN COUNT(*) FILTER(WHERE scores IS NULL AND TRUE) > 0 THEN 'scores is missing; give it double or another value' WHEN CAST(ties AS TEXT) IS DISTINCT FROM CAST('item_asc' AS TEXT) AND COUNT(*) FILTER(WHERE (_measure IN ('average_precision', 'bpref', 'err', 'f_beta', 'first_rank', 'hit_rate', 'hits', 'idcg', 'infap', 'iprec', 'judged', 'precision', 'query_auc', 'r_precision', 'rbp', 'recall', 'reciprocal_rank', 'gmap', 'f1', 'mean_rank', 'median_rank') AND COALESCE(TRUE AND (TRY_CAST(ties AS TEXT) IN ('item_asc', 'item_desc', 'item_desc_text', 'pessimistic', 'optimistic', 'input')), FALSE)) OR (_measure IN ('cg', 'dcg', 'ndcg') AND COALESCE(TRUE AND (TRY_CAST(ties AS TEXT) IN ('item_asc', 'item_desc', 'item_desc_text', 'pessimistic', 'optimistic', 'input', 'expected')), FALSE))) = 0 THEN 'ties cannot be ''' || COALESCE(CAST(ties AS TEXT), 'NULL') || ''' for what is asked; choose item_asc or item_desc or item_desc_text or pessimistic or optimistic or input or expected' WHEN COUNT(*) FILTER(WHERE ties IS NULL AND _measure IN ('average_precision', 'bpref', 'err', 'f_beta', 'first_rank', 'hit_rate', 'hits', 'idcg', 'infap', 'iprec', 'judged', 'precision', 'query_auc', 'r_precision', 'rbp', 'recall', 'reciprocal_rank', 'gmap', 'f1', 'mean_rank', 'median_rank')) > 0 THEN 'ties is missing; give it item_asc or another value' WHEN COUNT(*) FILTER(WHERE ties IS NULL AND _measure IN ('cg', 'dcg', 'ndcg')) > 0 THEN 'ties is missing; give it item_asc or another value' WHEN CAST(unjudged AS TEXT) IS DISTINCT FROM CAST('nonrelevant' AS TEXT) AND COUNT(*) FILTER(WHERE COALESCE(TRUE AND (TRY_CAST(unjudged AS TEXT) IN ('nonrelevant', 'skip')), FALSE)) = 0 THEN 'unjudged cannot be ''' || COALESCE(CAST(unjudged AS TEXT), 'NULL') || ''' for what is asked; choose nonrelevant or skip' WHEN COUNT(*) FILTER(WHERE unjudged IS NULL AND TRUE) > 0 THEN 'unjudged is missing; give it nonrelevant or another value' WHEN CAST(gain AS TEXT) IS DISTINCT FROM CAST('linear' AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('cg', 'dcg', 'idcg', 'ndcg') AND COALESCE(TRUE AND (TRY_CAST(gain AS TEXT) IN ('linear', 'exp2', 'binary')), FALSE)) = 0 THEN 'gain cannot be ''' || COALESCE(CAST(gain AS TEXT), 'NULL') || ''' for what is asked; choose linear or exp2 or binary' WHEN COUNT(*) FILTER(WHERE gain IS NULL AND _measure IN ('cg', 'dcg', 'idcg', 'ndcg')) > 0 THEN 'gain is missing; give it linear or another value' WHEN CAST(discount AS TEXT) IS DISTINCT FROM CAST('log2' AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('dcg', 'idcg', 'ndcg') AND COALESCE(TRUE AND (TRY_CAST(discount AS TEXT) IN ('log2', 'log2_clip', 'reciprocal')), FALSE)) = 0 THEN 'discount cannot be ''' || COALESCE(CAST(discount AS TEXT), 'NULL') || ''' for what is asked; choose log2 or log2_clip or reciprocal' WHEN COUNT(*) FILTER(WHERE discount IS NULL AND _measure IN ('dcg', 'idcg', 'ndcg')) > 0 THEN 'discount is missing; give it log2 or another value' WHEN CAST(max_grade AS TEXT) IS DISTINCT FROM CAST(4.0e0 AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('err') AND COALESCE(TRUE AND ISFINITE(TRY_CAST(max_grade AS DOUBLE)) AND (TRY_CAST(max_grade AS DOUBLE) > 0), FALSE)) = 0 THEN 'max_grade cannot be ''' || COALESCE(CAST(max_grade AS TEXT), 'NULL') || ''' for what is asked; it must be a number and max_grade > 0' WHEN COUNT(*) FILTER(WHERE max_grade IS NULL AND _measure IN ('err')) > 0 THEN 'max_grade is missing; give it a number' WHEN CAST(beta AS TEXT) IS DISTINCT FROM CAST(NULL AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('f_beta') AND COALESCE(TRUE AND ISFINITE(TRY_CAST(beta AS DOUBLE)) AND (TRY_CAST(beta AS DOUBLE) > 0), FALSE)) = 0 THEN 'beta cannot be ''' || COALESCE(CAST(beta AS TEXT), 'NULL') || ''' for what is asked; it must be a number and beta > 0' WHEN COUNT(*) FILTER(WHERE beta IS NULL AND _measure IN ('f_beta')) > 0 THEN 'beta is missing; give it a number' WHEN CAST(ideal AS TEXT) IS DISTINCT FROM CAST('judged' AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('idcg', 'ndcg') AND COALESCE(TRUE AND (TRY_CAST(ideal AS TEXT) IN ('judged', 'returned', 'full_k')), FALSE)) = 0 THEN 'ideal cannot be ''' || COALESCE(CAST(ideal AS TEXT), 'NULL') || ''' for what is asked; choose judged or returned or full_k' WHEN COUNT(*) FILTER(WHERE ideal IS NULL AND _measure IN ('idcg', 'ndcg')) > 0 THEN 'ideal is missing; give it judged or another value' WHEN CAST(recall AS TEXT) IS DISTINCT FROM CAST(NULL AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('iprec') AND COALESCE(TRUE AND ISFINITE(TRY_CAST(recall AS DOUBLE)) AND (TRY_CAST(recall AS DOUBLE) >= 0) AND (TRY_CAST(recall AS DOUBLE) <= 1), FALSE)) = 0 THEN 'recall cannot be ''' || COALESCE(CAST(recall AS TEXT), 'NULL') || ''' for what is asked; it must be a number and recall >= 0 and recall <= 1' WHEN COUNT(*) FILTER(WHERE recall IS NULL AND _measure IN ('iprec')) > 0 THEN 'recall is missing; give it a number' WHEN CAST(rounding AS TEXT) IS DISTINCT FROM CAST('up' AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('iprec') AND COALESCE(TRUE AND (TRY_CAST(rounding AS TEXT) IN ('up', 'nearest')), FALSE)) = 0 THEN 'rounding cannot be ''' || COALESCE(CAST(rounding AS TEXT), 'NULL') || ''' for what is asked; choose up or nearest' WHEN COUNT(*) FILTER(WHERE rounding IS NULL AND _measure IN ('iprec')) > 0 THEN 'rounding is missing; give it up or another value' WHEN CAST(p AS TEXT) IS DISTINCT FROM CAST(0.8e0 AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('rbp') AND COALESCE(TRUE AND ISFINITE(TRY_CAST(p AS DOUBLE)) AND (TRY_CAST(p AS DOUBLE) > 0) AND (TRY_CAST(p AS DOUBLE) < 1), FALSE)) = 0 THEN 'p cannot be ''' || COALESCE(CAST(p AS TEXT), 'NULL') || ''' for what is asked; it must be a number and p > 0 and p < 1' WHEN COUNT(*) FILTER(WHERE p IS NULL AND _measure IN ('rbp')) > 0 THEN 'p is missing; give it a number' END AS _problem FROM _duckmetrics_specs) AS _duckmetrics_given WHERE NOT _problem IS NULL UNION ALL SELECT 'norm is ''' || CAST(norm AS TEXT) || ''', but must satisfy norm <> ''k'' OR NOT k IS NULL; write the cut-off k' AS _problem, 6 AS _place FROM _duckmetrics_specs WHERE _measure IN ('average_precision', 'gmap') AND NOT (TRY_CAST(norm AS TEXT) <> 'k' OR NOT _k IS NULL) UNION ALL SELECT 'ideal is ''' || CAST(ideal AS TEXT) || ''', but must satisfy ideal <> ''full_k'' OR NOT k IS NULL; write the cut-off k' AS _problem, 7 AS _place FROM _duckmetrics_specs WHERE _measure IN ('idcg', 'ndcg') AND NOT (TRY_CAST(ideal AS TEXT) <> 'full_k' OR NOT _k IS NULL) UNION ALL SELECT CASE WHEN ISNAN(_relevance) OR ISINF(_relevance) THEN 'truth.relevance: rows whose relevance is NaN or infinite' || ' (query_id=' || COALESCE(CAST(_query_id AS TEXT), 'NULL') || ', item_id=' || COALESCE(CAST(_item_id AS TEXT), 'NULL') || ', relevance=' || COALESCE(CAST(_relevance AS TEXT), 'NULL') || '); drop or mend these rows' WHEN TRY_CAST(negative_grade AS TEXT) = 'error' AND _relevance < 0 AND NOT ISINF(_relevance) THEN 'truth.relevance: rows whose relevance is negative' || ' (query_id=' || COALESCE(CAST(_query_id AS TEXT), 'NULL') || ', item_id=' || COALESCE(CAST(_item_id AS TEXT), 'NULL') || ', relevance=' || COALESCE(CAST(_relevance AS TEXT), 'NULL') || '); mend them, or set negative_grade := ''zero'' if they mean judged and nonrelevant' WHEN TRY_CAST(null_relevance AS TEXT) = 'error' AND _relevance IS NULL THEN 'truth.relevance: rows whose relevance is NULL' || ' (query_id=' || COALESCE(CAST(_query_id AS TEXT), 'NULL') || ', item_id=' || COALESCE(CAST(_item_id AS TEXT), 'NULL') || '); drop them, or set null_relevance := ''zero'' if NULL means nonrelevant' WHEN _item_id IS NULL THEN 'truth.item_id: rows with no item_id' || ' (query_id=' || COALESCE(CAST(_query_id AS TEXT), 'NULL') || '); drop or mend these rows' WHEN _query_id IS NULL THEN 'truth.query_id: rows with no query_id' || ' (item_id=' || COALESCE(CAST(_item_id AS TEXT), 'NULL') || '); drop or mend these rows' WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'err') AND NOT _relevance <= TRY_CAST(max_grade AS DOUBLE) THEN 'truth.relevance: rows outside of what err needs, relevance <= max_grade' || ' (query_id=' || COALESCE(CAST(_query_id AS TEXT), 'NULL') || ', item_id=' || COALESCE(CAST(_item_id AS TEXT), 'NULL') || ', relevance=' || COALESCE(CAST(_relevance AS TEXT), 'NULL') || '); mend them or change the parameter' END AS _problem, 8 AS _place FROM _duckmetrics_truth WHERE (ISNAN(_relevance) OR ISINF(_relevance)) OR (TRY_CAST(negative_grade AS TEXT) = 'error' AND _relevance < 0 AND NOT ISINF(_relevance)) OR (TRY_CAST(null_relevance AS TEXT) = 'error' AND _relevance IS NULL) OR (_item_id IS NULL) OR (_query_id IS NULL) OR (DUCKMETRICS_FN_ASKS_FOR(metrics, 'err') AND NOT _relevance <= TRY_CAST(max_grade AS DOUBLE)) UNION ALL SELECT CASE WHEN ISNAN(_score) THEN 'predictions.score: rows whose score is NaN, which would sort before every number' || ' (query_id=' || COALESCE(CAST(_query_id AS TEXT), 'NULL') || ', item_id=' || COALESCE(CAST(_item_id AS TEXT), 'NULL') || '); drop these rows or give them the lowest score' WHEN _score IS NULL THEN 'predictions.score: rows whose score is NULL' || ' (query_id=' || COALESCE(CAST(_query_id AS TEXT), 'NULL') || ', item_id=' || COALESCE(CAST(_item_id AS TEXT), 'NULL') || '); drop these rows or give them the lowest score' WHEN _system IS NULL THEN 'predictions.system: rows with no system' || ' (query_id=' || COALESCE(CAST(_query_id AS TEXT), 'NULL') || ', item_id=' || COALESCE(CAST(_item_id AS TEXT), 'NULL') || '); drop these rows or give them a name' WHEN _item_id IS NULL THEN 'predictions.item_id: rows with no item_id' || ' (query_id=' || COALESCE(CAST(_query_id AS TEXT), 'NULL') || '); drop or mend these rows' WHEN _query_id IS NULL THEN 'predictions.query_id: rows with no query_id' || ' (item_id=' || COALESCE(CAST(_item_id AS TEXT), 'NULL') || '); drop or mend these rows' END AS _problem, 9 AS _place FROM _duckmetrics_predictions WHERE (ISNAN(_score)) OR (_score IS NULL) OR (_system IS NULL) OR (_item_id IS NULL) OR (_query_id IS NULL) UNION ALL SELECT CASE WHEN _query_id IS NULL THEN 'population.query_id: rows with no query_id' || ' (query_id=' || COALESCE(CAST(_query_id AS TEXT), 'NULL') || '); drop these rows' END AS _problem, 10 AS _place FROM _duckmetrics_population WHERE (_query_id IS NULL) UNION ALL SELECT 'truth.item_id: items judged more than once for a query' || ' (query_id=' || COALESCE(CAST(_query_id AS TEXT), 'NULL') || ', item_id=' || COALESCE(CAST(_item_id AS TEXT), 'NULL') || '); drop them, or set duplicates := ''first'' to keep the highest grade' AS _problem, 11 AS _place FROM (SELECT _query_id, _item_id FROM _duckmetrics_truth WHERE TRY_CAST(duplicates AS TEXT) = 'error' AND (SELECT COUNT(*) FROM (SELECT _h, LAG(_h) OVER () AS _previous FROM (SELECT HASH(_query_id, _item_id) AS _h FROM _duckmetrics_truth ORDER BY _h ASC NULLS LAST) AS _duckmetrics_hashes) AS _duckmetrics_pairs WHERE _h <= _previous) > 0 GROUP BY _query_id, _item_id HAVING COUNT(*) > 1) AS _duckmetrics_offenders UNION ALL SELECT 'predictions.item_id: items predicted more than once for a query' || ' (query_id=' || COALESCE(CAST(_query_id AS TEXT), 'NULL') || ', item_id=' || COALESCE(CAST(_item_id AS TEXT), 'NULL') || '); drop them, or set duplicates := ''first''' AS _problem, 12 AS _place FROM (SELECT '' AS _system, _query_id, _item_id FROM _duckmetrics_predictions WHERE TRY_CAST(duplicates AS TEXT) = 'error' AND (SELECT COUNT(*) FROM (SELECT _h, LAG(_h) OVER () AS _previous FROM (SELECT HASH(_query_id, _item_id) AS _h FROM _duckmetrics_predictions ORDER BY _h ASC NULLS LAST) AS _duckmetrics_hashes) AS _duckmetrics_pairs WHERE _h <= _previous) > 0 GROUP BY _query_id, _item_id HAVING COUNT(*) > 1) AS _duckmetrics_offenders UNION ALL SELECT 'predictions.query_id: queries of the population with no predictions' || ' (query_id=' || COALESCE(CAST(_query_id AS TEXT), 'NULL') || '); predict them, or set missing := ''zero'' or missing := ''skip''' AS _problem, 13 AS _place FROM (SELECT '' AS _system, _query_id FROM _duckmetrics_queries WHERE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('zero', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'zero' END = 'error' AND _missing) AS _duckmetrics_offenders WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'average_precision|ap|map|bpref|cg|dcg|err|f_beta|hit_rate|hr|success|hits|idcg|infap|iprec|iprec_at_recall|judged|ndcg|precision|p|query_auc|r_precision|rprec|rbp|recall|reciprocal_rank|rr|mrr|gmap|f1') UNION ALL SELECT 'predictions.query_id: queries of the population with no predictions' || ' (query_id=' || COALESCE(CAST(_query_id AS TEXT), 'NULL') || '); predict them, or set missing := ''zero'' or missing := ''skip''' AS _problem, 14 AS _place FROM (SELECT '' AS _system, _query_id FROM _duckmetrics_queries WHERE CASE WHEN NOT missing IS NULL AND COALESCE(TRUE AND (TRY_CAST(missing AS TEXT) IN ('undefined', 'skip', 'error')), FALSE) THEN TRY_CAST(missing AS TEXT) ELSE 'undefined' END = 'error' AND _missing) AS _duckmetrics_offenders WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'first_rank|mean_rank|median_rank') UNION ALL SELECT 'predictions.query_id: queries, none of them in both tables' || '; check that both tables mean the same ids' AS _problem, 15 AS _place FROM (SELECT _query_id, 'predictions' AS _found_in FROM (SELECT DISTINCT _query_id FROM _duckmetrics_predictions) AS _duckmetrics_answered UNION ALL SELECT _query_id, 'truth' AS _found_in FROM (SELECT DISTINCT _query_id FROM _duckmetrics_truth) AS _duckmetrics_judged) AS _duckmetrics_offenders WHERE NOT EXISTS(SELECT 1 FROM _duckmetrics_predictions JOIN _duckmetrics_truth ON _duckmetrics_truth._query_id = _duckmetrics_predictions._query_id)) AS _duckmetrics_problems) AS _duckmetrics_checked WHERE _duckmetrics_checked._fine
);
CREATE OR REPLACE TEMP MACRO duckmetrics_segment_values(data, label, score, metrics, group_id := NULL, per := NULL, weight := NULL, plan := 'sorted', threshold := 0.5e0, bins := 10, binning := 'width', approx := NULL, interpolation := 'step', base_rate := NULL, eps := 1e-15, beta := NULL, average := 'impressions', top := NULL, max_fpr := NULL, norm := 'mcclish', recall := NULL, "precision" := NULL, fpr := NULL) AS TABLE (
WITH _duckmetrics_predictions AS (SELECT '' AS _system, per AS _segment, DUCKMETRICS_FN_GRADE(label, 'the label') AS _label, DUCKMETRICS_FN_NUMBER(score, 'the score') AS _score, CASE WHEN TYPEOF(weight) = '"NULL"' THEN 1e0 ELSE DUCKMETRICS_FN_NUMBER(weight, 'the weight') END AS _weight, group_id AS _group_id FROM QUERY(DUCKMETRICS_FN_SOURCE(data, ''))),
_duckmetrics_known AS (SELECT _name, _measure, _has_cutoff, _is_binary, _undefined, _weighted FROM (VALUES ('accuracy', 'accuracy', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('ace', 'ace', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('auc', 'auc', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('roc_auc', 'auc', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('auroc', 'auc', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('auc_pairwise', 'auc_pairwise', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('average_precision', 'average_precision', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('ap', 'average_precision', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('pr_auc', 'average_precision', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('balanced_accuracy', 'balanced_accuracy', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('base_entropy', 'base_entropy', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('base_rate', 'base_rate', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('prevalence', 'base_rate', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('ctr', 'base_rate', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('brier', 'brier', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('brier_score', 'brier', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('brier_skill', 'brier_skill', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('calibration_intercept', 'calibration_intercept', FALSE, TRUE, 'one class, one score, or classes that a score separates', TRUE), ('calibration_ratio', 'calibration_ratio', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('pcoc', 'calibration_ratio', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('calibration_slope', 'calibration_slope', FALSE, TRUE, 'one class, one score, or classes that a score separates', TRUE), ('cohen_kappa', 'cohen_kappa', FALSE, TRUE, 'all rows have and are predicted one class', TRUE), ('kappa', 'cohen_kappa', FALSE, TRUE, 'all rows have and are predicted one class', TRUE), ('copc', 'copc', FALSE, TRUE, 'every probability is 0', TRUE), ('ece', 'ece', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('f_beta', 'f_beta', FALSE, TRUE, 'no row is positive or predicted positive', TRUE), ('fnr', 'fnr', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('fpr', 'fpr', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('gauc', 'gauc', FALSE, TRUE, 'no group has both classes', TRUE), ('gini', 'gini', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('accuracy_ratio', 'gini', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('hosmer_lemeshow', 'hosmer_lemeshow', FALSE, TRUE, 'a bin expects no positive, or no negative', FALSE), ('ks', 'ks', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('lift', 'lift', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('log_loss', 'log_loss', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('logloss', 'log_loss', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('cross_entropy', 'log_loss', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('mae', 'mae', FALSE, FALSE, CAST(NULL AS TEXT), TRUE), ('max_f1', 'max_f1', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('mcc', 'mcc', FALSE, TRUE, 'all rows are predicted the same class', TRUE), ('phi', 'mcc', FALSE, TRUE, 'all rows are predicted the same class', TRUE), ('mce', 'mce', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('normalized_entropy', 'normalized_entropy', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('ne', 'normalized_entropy', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('npv', 'npv', FALSE, TRUE, 'no row is predicted negative', TRUE), ('partial_auc', 'partial_auc', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('precision', 'precision', FALSE, TRUE, 'no row is predicted positive', TRUE), ('ppv', 'precision', FALSE, TRUE, 'no row is predicted positive', TRUE), ('precision_at_recall', 'precision_at_recall', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('r2', 'r2', FALSE, FALSE, 'all labels are equal', TRUE), ('recall', 'recall', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('tpr', 'recall', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('sensitivity', 'recall', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('recall_at_precision', 'recall_at_precision', FALSE, TRUE, 'no threshold reaches the precision', TRUE), ('rig', 'rig', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('rmse', 'rmse', FALSE, FALSE, CAST(NULL AS TEXT), TRUE), ('specificity', 'specificity', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('tnr', 'specificity', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('spiegelhalter_p', 'spiegelhalter_p', FALSE, TRUE, 'every probability is 0, 1/2 or 1', FALSE), ('spiegelhalter_z', 'spiegelhalter_z', FALSE, TRUE, 'every probability is 0, 1/2 or 1', FALSE), ('tpr_at_fpr', 'tpr_at_fpr', FALSE, TRUE, CAST(NULL AS TEXT), TRUE), ('f1', 'f1', FALSE, TRUE, 'no row is positive or predicted positive', TRUE)) AS _duckmetrics_names(_name, _measure, _has_cutoff, _is_binary, _undefined, _weighted)),
_duckmetrics_specs AS (WITH _duckmetrics_listed AS (SELECT UNNEST(RANGE(0, LENGTH(DUCKMETRICS_FN_ASKED_METRICS(metrics)))) AS _place, UNNEST(DUCKMETRICS_FN_ASKED_METRICS(metrics)) AS _metric) SELECT _duckmetrics_listed._place AS _segment, _duckmetrics_listed._metric, LIST_EXTRACT(DUCKMETRICS_FN_CUTOFFS(DUCKMETRICS_FN_METRIC_CUTOFF(_duckmetrics_listed._metric)), 1) AS _k, _duckmetrics_known.* EXCLUDE (_name) FROM _duckmetrics_listed LEFT JOIN _duckmetrics_known ON _duckmetrics_known._name = DUCKMETRICS_FN_METRIC_NAME(_duckmetrics_listed._metric)),
_duckmetrics_segments_2 AS (SELECT '' AS _system, _segment, COUNT(*) AS _n, COUNT(*) FILTER(WHERE _label > 0) AS _n_positive FROM _duckmetrics_predictions WHERE _weight > 0 GROUP BY _segment),
_duckmetrics_labeled AS (SELECT '' AS _system, _segment, NULL AS _group_id, CASE WHEN _label > 0 THEN 1e0 ELSE 0e0 END AS _label, _score, _weight AS _weight FROM _duckmetrics_predictions WHERE _weight > 0 AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'accuracy|ace|auc|roc_auc|auroc|auc_pairwise|average_precision|ap|pr_auc|balanced_accuracy|base_entropy|base_rate|prevalence|ctr|brier|brier_score|brier_skill|calibration_intercept|calibration_ratio|pcoc|calibration_slope|cohen_kappa|kappa|copc|ece|f_beta|fnr|fpr|gini|accuracy_ratio|ks|lift|log_loss|logloss|cross_entropy|max_f1|mcc|phi|mce|normalized_entropy|ne|npv|partial_auc|precision|ppv|precision_at_recall|recall|tpr|sensitivity|recall_at_precision|rig|specificity|tnr|tpr_at_fpr|f1')),
_duckmetrics_confusion AS (SELECT '' AS _system, _segment, SUM(CASE WHEN _score >= TRY_CAST(threshold AS DOUBLE) THEN _weight * _label ELSE 0e0 END) AS _tp, SUM(CASE WHEN _score >= TRY_CAST(threshold AS DOUBLE) THEN _weight * (1 - _label) ELSE 0e0 END) AS _fp, SUM(CASE WHEN _score >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE _weight * _label END) AS _fn, SUM(CASE WHEN _score >= TRY_CAST(threshold AS DOUBLE) THEN 0e0 ELSE _weight * (1 - _label) END) AS _tn FROM _duckmetrics_labeled WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'accuracy|balanced_accuracy|cohen_kappa|kappa|f_beta|fnr|fpr|mcc|phi|npv|precision|ppv|recall|tpr|sensitivity|specificity|tnr|f1') GROUP BY _segment),
_duckmetrics_places_2 AS (SELECT '' AS _system, _segment, NULL AS _group_id, _label, RANK() OVER (PARTITION BY _segment ORDER BY _score ASC NULLS LAST) AS _first_rank, CUME_DIST() OVER (PARTITION BY _segment ORDER BY _score ASC NULLS LAST) AS _share_upto, NULL AS _group_size FROM _duckmetrics_labeled WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'auc|roc_auc|auroc|gini|accuracy_ratio')),
_duckmetrics_score_groups_2 AS (SELECT '' AS _system, _segment, NULL AS _group_id, _score, SUM(_weight * _label) AS _positives, SUM(_weight * (1 - _label)) AS _negatives FROM _duckmetrics_labeled WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'average_precision|ap|pr_auc|calibration_intercept|calibration_slope|gini|accuracy_ratio|ks|lift|max_f1|partial_auc|precision_at_recall|recall_at_precision|tpr_at_fpr') GROUP BY _segment, _score),
_duckmetrics_thresholds_2 AS (SELECT '' AS _system, _segment, NULL AS _group_id, _score, _positives, _negatives, _tp, _fp, MAX(_tp) OVER (PARTITION BY _segment) AS _p, MAX(_fp) OVER (PARTITION BY _segment) AS _n FROM (SELECT '' AS _system, _segment, NULL AS _group_id, _score, _positives, _negatives, SUM(_positives) OVER (PARTITION BY _segment ORDER BY _score DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _tp, SUM(_negatives) OVER (PARTITION BY _segment ORDER BY _score DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _fp FROM _duckmetrics_score_groups_2 AS _duckmetrics_score_groups WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'average_precision|ap|pr_auc|gini|accuracy_ratio|ks|lift|max_f1|partial_auc|precision_at_recall|recall_at_precision|tpr_at_fpr')) AS _duckmetrics_cumulated WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'average_precision|ap|pr_auc|gini|accuracy_ratio|ks|lift|max_f1|partial_auc|precision_at_recall|recall_at_precision|tpr_at_fpr')),
_duckmetrics_labeled_2 AS (SELECT '' AS _system, _segment, _group_id AS _group_id, CASE WHEN _label > 0 THEN 1e0 ELSE 0e0 END AS _label, _score, _weight AS _weight FROM _duckmetrics_predictions WHERE _weight > 0 AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'gauc')),
_duckmetrics_ratings AS (SELECT '' AS _system, _segment, _label, _score, _weight AS _weight FROM _duckmetrics_predictions WHERE _weight > 0 AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'mae|r2|rmse'))
SELECT _segment AS _segment, _metric AS _metric, CASE WHEN ISFINITE(_v) THEN _v END AS _value, _lower AS _lower, _upper AS _upper, _n_undefined AS _n_undefined, _n AS _n, CASE WHEN _is_binary THEN _n_positive END AS _n_positive, CASE WHEN ISFINITE(_v) THEN NULL WHEN NOT _v IS NULL THEN 'the values overflow' WHEN COALESCE(_n_all, 0) = 0 THEN 'no rows' WHEN COALESCE(_n, 0) = 0 THEN 'no row has a weight' WHEN _is_binary AND _undefined IS NULL AND _n_positive = 0 THEN 'one class only: no positive row' WHEN _is_binary AND _undefined IS NULL AND _n_positive = _n THEN 'one class only: no negative row' ELSE COALESCE(_undefined, 'it is not defined for these rows') END AS _reason FROM (SELECT _duckmetrics_specs._segment AS _place, _duckmetrics_specs._metric, _duckmetrics_specs._is_binary, _duckmetrics_specs._undefined, _duckmetrics_per_segment._segment, CASE _duckmetrics_specs._measure WHEN 'accuracy' THEN _duckmetrics_per_segment._value_0 WHEN 'ace' THEN _duckmetrics_per_segment._value_1 WHEN 'auc' THEN _duckmetrics_per_segment._value_2 WHEN 'auc_pairwise' THEN _duckmetrics_per_segment._value_3 WHEN 'average_precision' THEN _duckmetrics_per_segment._value_4 WHEN 'balanced_accuracy' THEN _duckmetrics_per_segment._value_5 WHEN 'base_entropy' THEN _duckmetrics_per_segment._value_6 WHEN 'base_rate' THEN _duckmetrics_per_segment._value_7 WHEN 'brier' THEN _duckmetrics_per_segment._value_8 WHEN 'brier_skill' THEN _duckmetrics_per_segment._value_9 WHEN 'calibration_intercept' THEN _duckmetrics_per_segment._value_10 WHEN 'calibration_ratio' THEN _duckmetrics_per_segment._value_11 WHEN 'calibration_slope' THEN _duckmetrics_per_segment._value_12 WHEN 'cohen_kappa' THEN _duckmetrics_per_segment._value_13 WHEN 'copc' THEN _duckmetrics_per_segment._value_14 WHEN 'ece' THEN _duckmetrics_per_segment._value_15 WHEN 'f_beta' THEN _duckmetrics_per_segment._value_16 WHEN 'fnr' THEN _duckmetrics_per_segment._value_17 WHEN 'fpr' THEN _duckmetrics_per_segment._value_18 WHEN 'gauc' THEN _duckmetrics_per_segment._value_19 WHEN 'gini' THEN _duckmetrics_per_segment._value_20 WHEN 'hosmer_lemeshow' THEN _duckmetrics_per_segment._value_21 WHEN 'ks' THEN _duckmetrics_per_segment._value_22 WHEN 'lift' THEN _duckmetrics_per_segment._value_23 WHEN 'log_loss' THEN _duckmetrics_per_segment._value_24 WHEN 'mae' THEN _duckmetrics_per_segment._value_25 WHEN 'max_f1' THEN _duckmetrics_per_segment._value_26 WHEN 'mcc' THEN _duckmetrics_per_segment._value_27 WHEN 'mce' THEN _duckmetrics_per_segment._value_28 WHEN 'normalized_entropy' THEN _duckmetrics_per_segment._value_29 WHEN 'npv' THEN _duckmetrics_per_segment._value_30 WHEN 'partial_auc' THEN _duckmetrics_per_segment._value_31 WHEN 'precision' THEN _duckmetrics_per_segment._value_32 WHEN 'precision_at_recall' THEN _duckmetrics_per_segment._value_33 WHEN 'r2' THEN _duckmetrics_per_segment._value_34 WHEN 'recall' THEN _duckmetrics_per_segment._value_35 WHEN 'recall_at_precision' THEN _duckmetrics_per_segment._value_36 WHEN 'rig' THEN _duckmetrics_per_segment._value_37 WHEN 'rmse' THEN _duckmetrics_per_segment._value_38 WHEN 'specificity' THEN _duckmetrics_per_segment._value_39 WHEN 'spiegelhalter_p' THEN _duckmetrics_per_segment._value_40 WHEN 'spiegelhalter_z' THEN _duckmetrics_per_segment._value_41 WHEN 'tpr_at_fpr' THEN _duckmetrics_per_segment._value_42 WHEN 'f1' THEN _duckmetrics_per_segment._value_43 END AS _v, CASE _duckmetrics_specs._measure WHEN 'auc' THEN _duckmetrics_per_segment._lower_2 END AS _lower, CASE _duckmetrics_specs._measure WHEN 'auc' THEN _duckmetrics_per_segment._upper_2 END AS _upper, CASE _duckmetrics_specs._measure WHEN 'gauc' THEN COALESCE(_duckmetrics_per_segment._n_undefined_19, 0) END AS _n_undefined, COALESCE(CASE WHEN _duckmetrics_specs._weighted THEN _duckmetrics_per_segment._n_weighted ELSE _duckmetrics_per_segment._n END, 0) AS _n, COALESCE(CASE WHEN _duckmetrics_specs._weighted THEN _duckmetrics_per_segment._n_positive_weighted ELSE _duckmetrics_per_segment._n_positive END, 0) AS _n_positive, _duckmetrics_per_segment._n AS _n_all FROM _duckmetrics_specs CROSS JOIN (SELECT '' AS _system, _duckmetrics_segments._segment, _duckmetrics_segments._n, _duckmetrics_segments._n_positive, _duckmetrics_segments_2._n AS _n_weighted, _duckmetrics_segments_2._n_positive AS _n_positive_weighted, _duckmetrics_per_segment_of_confusion._v1 AS _value_0, _duckmetrics_per_segment_of_bins._v1 AS _value_1, _duckmetrics_per_segment_of_pairs._v1 AS _value_2, _duckmetrics_per_segment_of_pairs._v2 AS _lower_2, _duckmetrics_per_segment_of_pairs._v3 AS _upper_2, _duckmetrics_per_segment_of_compared._v1 AS _value_3, _duckmetrics_per_segment_of_thresholds_2._v1 AS _value_4, _duckmetrics_per_segment_of_confusion._v2 AS _value_5, _duckmetrics_per_segment_of_shares._v1 AS _value_6, _duckmetrics_per_segment_of_labeled._v1 AS _value_7, _duckmetrics_per_segment_of_labeled._v2 AS _value_8, 1 - _duckmetrics_per_segment_of_labeled._v2 / NULLIF(_duckmetrics_per_segment_of_labeled._v1 * (1 - _duckmetrics_per_segment_of_labeled._v1) + (COALESCE(TRY_CAST(base_rate AS DOUBLE), _duckmetrics_per_segment_of_labeled._v1) - _duckmetrics_per_segment_of_labeled._v1) * (COALESCE(TRY_CAST(base_rate AS DOUBLE), _duckmetrics_per_segment_of_labeled._v1) - _duckmetrics_per_segment_of_labeled._v1), 0) AS _value_9, _duckmetrics_per_segment_of_calibration_fit._v1 AS _value_10, _duckmetrics_per_segment_of_labeled._v3 AS _value_11, _duckmetrics_per_segment_of_calibration_fit._v2 AS _value_12, _duckmetrics_per_segment_of_agreement._v1 AS _value_13, _duckmetrics_per_segment_of_labeled._v4 AS _value_14, _duckmetrics_per_segment_of_bins._v2 AS _value_15, _duckmetrics_per_segment_of_confusion._v3 AS _value_16, _duckmetrics_per_segment_of_confusion._v4 AS _value_17, _duckmetrics_per_segment_of_confusion._v5 AS _value_18, _duckmetrics_per_segment_of_groups._v1 AS _value_19, _duckmetrics_per_segment_of_groups._v2 AS _n_undefined_19, 2 * _duckmetrics_per_segment_of_pairs_3._v1 - 1 AS _value_20, _duckmetrics_per_segment_of_bins_2._v1 AS _value_21, _duckmetrics_per_segment_of_thresholds_2._v2 AS _value_22, _duckmetrics_per_segment_of_thresholds_2._v3 AS _value_23, _duckmetrics_per_segment_of_clipped._v1 AS _value_24, _duckmetrics_per_segment_of_ratings._v1 AS _value_25, _duckmetrics_per_segment_of_thresholds_2._v4 AS _value_26, _duckmetrics_per_segment_of_confusion._v6 AS _value_27, _duckmetrics_per_segment_of_bins._v3 AS _value_28, _duckmetrics_per_segment_of_clipped._v1 / NULLIF(_duckmetrics_per_segment_of_shares._v1, 0) AS _value_29, _duckmetrics_per_segment_of_confusion._v7 AS _value_30, _duckmetrics_per_segment_of_area._v1 AS _value_31, _duckmetrics_per_segment_of_confusion._v8 AS _value_32, _duckmetrics_per_segment_of_thresholds_2._v5 AS _value_33, _duckmetrics_per_segment_of_centered._v1 AS _value_34, _duckmetrics_per_segment_of_confusion._v9 AS _value_35, _duckmetrics_per_segment_of_thresholds_2._v6 AS _value_36, 1 - (_duckmetrics_per_segment_of_clipped._v1 / NULLIF(_duckmetrics_per_segment_of_shares._v1, 0)) AS _value_37, _duckmetrics_per_segment_of_ratings._v2 AS _value_38, _duckmetrics_per_segment_of_confusion._v10 AS _value_39, DUCKMETRICS_FN_NORMAL_P(CAST(_duckmetrics_per_segment_of_predictions._v1 AS DOUBLE)) AS _value_40, _duckmetrics_per_segment_of_predictions._v1 AS _value_41, _duckmetrics_per_segment_of_thresholds_2._v7 AS _value_42, _duckmetrics_per_segment_of_confusion._v11 AS _value_43 FROM (SELECT '' AS _system, _segment, COUNT(*) AS _n, COUNT(*) FILTER(WHERE _label > 0) AS _n_positive FROM _duckmetrics_predictions GROUP BY _segment) AS _duckmetrics_segments LEFT JOIN _duckmetrics_segments_2 ON _duckmetrics_segments_2._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment LEFT JOIN (SELECT '' AS _system, _segment, (_tp + _tn) / NULLIF(_tp + _fp + _fn + _tn, 0) AS _v1, (_tp / NULLIF(_tp + _fn, 0) + _tn / NULLIF(_tn + _fp, 0)) / 2 AS _v2, (1 + TRY_CAST(beta AS DOUBLE) * TRY_CAST(beta AS DOUBLE)) * _tp / NULLIF((1 + TRY_CAST(beta AS DOUBLE) * TRY_CAST(beta AS DOUBLE)) * _tp + TRY_CAST(beta AS DOUBLE) * TRY_CAST(beta AS DOUBLE) * _fn + _fp, 0) AS _v3, _fn / NULLIF(_fn + _tp, 0) AS _v4, _fp / NULLIF(_fp + _tn, 0) AS _v5, (_tp * _tn - _fp * _fn) / NULLIF(SQRT(_tp + _fp) * SQRT(_tp + _fn) * SQRT(_tn + _fp) * SQRT(_tn + _fn), 0) AS _v6, _tn / NULLIF(_tn + _fn, 0) AS _v7, _tp / NULLIF(_tp + _fp, 0) AS _v8, _tp / NULLIF(_tp + _fn, 0) AS _v9, _tn / NULLIF(_tn + _fp, 0) AS _v10, (1 + 1.0e0 * 1.0e0) * _tp / NULLIF((1 + 1.0e0 * 1.0e0) * _tp + 1.0e0 * 1.0e0 * _fn + _fp, 0) AS _v11 FROM _duckmetrics_confusion WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'accuracy|balanced_accuracy|f_beta|fnr|fpr|mcc|phi|npv|precision|ppv|recall|tpr|sensitivity|specificity|tnr|f1')) AS _duckmetrics_per_segment_of_confusion ON _duckmetrics_per_segment_of_confusion._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment LEFT JOIN (SELECT '' AS _system, _segment, AVG(ABS(_mean_score - _mean_label)) AS _v1, SUM(_total * ABS(_mean_score - _mean_label)) / NULLIF(SUM(_total), 0) AS _v2, MAX(ABS(_mean_score - _mean_label)) AS _v3 FROM (SELECT '' AS _system, _segment, _bin, COUNT(*) AS _n, SUM(_weight) AS _total, SUM(_weight * _p) / NULLIF(SUM(_weight), 0) AS _mean_score, SUM(_weight * _label) / NULLIF(SUM(_weight), 0) AS _mean_label FROM (SELECT '' AS _system, _segment, _label, _score AS _p, _weight, LEAST(CASE WHEN _score >= (FLOOR(_score * CASE WHEN NOT bins IS NULL AND COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 0), FALSE) THEN TRY_CAST(bins AS INT) ELSE 10 END) + 1) / CASE WHEN NOT bins IS NULL AND COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 0), FALSE) THEN TRY_CAST(bins AS INT) ELSE 10 END THEN FLOOR(_score * CASE WHEN NOT bins IS NULL AND COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 0), FALSE) THEN TRY_CAST(bins AS INT) ELSE 10 END) + 1 WHEN _score < FLOOR(_score * CASE WHEN NOT bins IS NULL AND COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 0), FALSE) THEN TRY_CAST(bins AS INT) ELSE 10 END) / CASE WHEN NOT bins IS NULL AND COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 0), FALSE) THEN TRY_CAST(bins AS INT) ELSE 10 END THEN FLOOR(_score * CASE WHEN NOT bins IS NULL AND COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 0), FALSE) THEN TRY_CAST(bins AS INT) ELSE 10 END) - 1 ELSE FLOOR(_score * CASE WHEN NOT bins IS NULL AND COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 0), FALSE) THEN TRY_CAST(bins AS INT) ELSE 10 END) END, CASE WHEN NOT bins IS NULL AND COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 0), FALSE) THEN TRY_CAST(bins AS INT) ELSE 10 END - 1) AS _bin FROM _duckmetrics_labeled WHERE CASE WHEN NOT binning IS NULL AND COALESCE(TRUE AND (TRY_CAST(binning AS TEXT) IN ('width', 'mass')), FALSE) THEN TRY_CAST(binning AS TEXT) ELSE 'width' END = 'width' AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'ace|ece|mce') UNION ALL SELECT '' AS _system, _segment, _label, _p, _weight, CASE WHEN _place < _wide * (_few + 1) THEN FLOOR(_place / (_few + 1)) ELSE _wide + FLOOR((_place - _wide * (_few + 1)) / NULLIF(_few, 0)) END AS _bin FROM (SELECT '' AS _system, _segment, _label, _score AS _p, _weight, RANK() OVER (PARTITION BY _segment ORDER BY _score ASC NULLS LAST) - 1 AS _place, FLOOR(COUNT(*) OVER (PARTITION BY _segment) / CAST(CASE WHEN NOT bins IS NULL AND COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 0), FALSE) THEN TRY_CAST(bins AS INT) ELSE 10 END AS DOUBLE)) AS _few, COUNT(*) OVER (PARTITION BY _segment) % CASE WHEN NOT bins IS NULL AND COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 0), FALSE) THEN TRY_CAST(bins AS INT) ELSE 10 END AS _wide FROM _duckmetrics_labeled WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'ace|ece|mce')) AS _duckmetrics_places WHERE CASE WHEN NOT binning IS NULL AND COALESCE(TRUE AND (TRY_CAST(binning AS TEXT) IN ('width', 'mass')), FALSE) THEN TRY_CAST(binning AS TEXT) ELSE 'width' END = 'mass' AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'ace|ece|mce')) AS _duckmetrics_binned WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'ace|ece|mce') GROUP BY _segment, _bin) AS _duckmetrics_bins WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'ace|ece|mce') GROUP BY _segment) AS _duckmetrics_per_segment_of_bins ON _duckmetrics_per_segment_of_bins._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment LEFT JOIN (SELECT '' AS _system, _segment, (_won + _tied / 2) / NULLIF(_positives * _negatives, 0) AS _v1, CASE WHEN NOT TRY_CAST(approx AS INT) IS NULL THEN _won / NULLIF(_positives * _negatives, 0) END AS _v2, CASE WHEN NOT TRY_CAST(approx AS INT) IS NULL THEN (_won + _tied) / NULLIF(_positives * _negatives, 0) END AS _v3 FROM (SELECT '' AS _system, _duckmetrics_places._segment, NULL AS _group_id, SUM(_duckmetrics_places._label) AS _positives, SUM(1 - _duckmetrics_places._label) AS _negatives, (SUM(_duckmetrics_places._label * (_duckmetrics_places._first_rank + FLOOR(_duckmetrics_places._share_upto * _duckmetrics_segments._n + 0.5e0))) - SUM(_duckmetrics_places._label) * (SUM(_duckmetrics_places._label) + 1)) / 2 AS _won, 0e0 AS _tied FROM _duckmetrics_places_2 AS _duckmetrics_places JOIN _duckmetrics_segments_2 AS _duckmetrics_segments ON _duckmetrics_segments._segment IS NOT DISTINCT FROM _duckmetrics_places._segment WHERE CASE WHEN NOT approx IS NULL THEN 'grouped' ELSE plan END = 'sorted' AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'auc|roc_auc|auroc') GROUP BY _duckmetrics_places._segment UNION ALL SELECT '' AS _system, _segment, _group_id, SUM(_positives) AS _positives, SUM(_negatives) AS _negatives, SUM(_positives * (_n - _fp)) AS _won, SUM(_positives * _negatives) AS _tied FROM (SELECT '' AS _system, _segment, _group_id, _score, _positives, _negatives, _tp, _fp, MAX(_tp) OVER (PARTITION BY _segment, _group_id) AS _p, MAX(_fp) OVER (PARTITION BY _segment, _group_id) AS _n FROM (SELECT '' AS _system, _segment, _group_id, _score, _positives, _negatives, SUM(_positives) OVER (PARTITION BY _segment, _group_id ORDER BY _score DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _tp, SUM(_negatives) OVER (PARTITION BY _segment, _group_id ORDER BY _score DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _fp FROM (SELECT '' AS _system, _segment, NULL AS _group_id, _score, SUM(_weight * _label) AS _positives, SUM(_weight * (1 - _label)) AS _negatives FROM _duckmetrics_labeled WHERE TRY_CAST(approx AS INT) IS NULL AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'auc|roc_auc|auroc') GROUP BY _segment, _score UNION ALL SELECT '' AS _system, _segment, NULL AS _group_id, _score, SUM(_weight * _label) AS _positives, SUM(_weight * (1 - _label)) AS _negatives FROM (SELECT '' AS _system, _duckmetrics_labeled._segment, NULL AS _group_id, _duckmetrics_labeled._label, _duckmetrics_labeled._weight, CASE WHEN _duckmetrics_labeled._score < COALESCE(_duckmetrics_extent._low, 0) THEN 0 WHEN _duckmetrics_labeled._score > COALESCE(_duckmetrics_extent._high, 0) THEN TRY_CAST(approx AS INT) - 1 WHEN _duckmetrics_extent._low = _duckmetrics_extent._high THEN 0 ELSE LEAST(FLOOR((_duckmetrics_labeled._score / 2 - _duckmetrics_extent._low / 2) / (_duckmetrics_extent._high / 2 - _duckmetrics_extent._low / 2) * TRY_CAST(approx AS INT)), TRY_CAST(approx AS INT) - 1) END AS _score FROM _duckmetrics_labeled LEFT JOIN (SELECT '' AS _system, _segment, MIN(_score) AS _low, MAX(_score) AS _high FROM _duckmetrics_labeled WHERE ISFINITE(_score) AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'auc|roc_auc|auroc') GROUP BY _segment) AS _duckmetrics_extent ON _duckmetrics_extent._segment IS NOT DISTINCT FROM _duckmetrics_labeled._segment WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'auc|roc_auc|auroc')) AS _duckmetrics_binned WHERE NOT TRY_CAST(approx AS INT) IS NULL AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'auc|roc_auc|auroc') GROUP BY _segment, _score) AS _duckmetrics_score_groups WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'auc|roc_auc|auroc')) AS _duckmetrics_cumulated WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'auc|roc_auc|auroc')) AS _duckmetrics_thresholds WHERE CASE WHEN NOT approx IS NULL THEN 'grouped' ELSE plan END = 'grouped' AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'auc|roc_auc|auroc') GROUP BY _segment, _group_id) AS _duckmetrics_pairs WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'auc|roc_auc|auroc')) AS _duckmetrics_per_segment_of_pairs ON _duckmetrics_per_segment_of_pairs._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment LEFT JOIN (SELECT '' AS _system, _segment, SUM(_weight * _won) / NULLIF(SUM(_weight), 0) AS _v1 FROM (SELECT '' AS _system, _duckmetrics_positives._segment, _duckmetrics_positives._weight * _duckmetrics_negatives._weight AS _weight, CASE WHEN _duckmetrics_positives._score > _duckmetrics_negatives._score THEN 1e0 WHEN _duckmetrics_positives._score = _duckmetrics_negatives._score THEN 5e-1 ELSE 0e0 END AS _won FROM (SELECT '' AS _system, _segment, _score, _weight FROM _duckmetrics_labeled WHERE _label = 1 AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'auc_pairwise')) AS _duckmetrics_positives JOIN (SELECT '' AS _system, _segment, _score, _weight FROM _duckmetrics_labeled WHERE _label = 0 AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'auc_pairwise')) AS _duckmetrics_negatives ON _duckmetrics_negatives._segment IS NOT DISTINCT FROM _duckmetrics_positives._segment WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'auc_pairwise')) AS _duckmetrics_compared WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'auc_pairwise') GROUP BY _segment) AS _duckmetrics_per_segment_of_compared ON _duckmetrics_per_segment_of_compared._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment LEFT JOIN (SELECT '' AS _system, _segment, SUM(_positives / NULLIF(_p, 0) * CASE TRY_CAST(interpolation AS TEXT) WHEN 'step' THEN _tp / NULLIF(_tp + _fp, 0) ELSE (_tp / NULLIF(_tp + _fp, 0) + COALESCE((_tp - _positives) / NULLIF((_tp - _positives) + (_fp - _negatives), 0), 1)) / 2 END) AS _v1, MAX(ABS(_tp / NULLIF(_p, 0) - _fp / NULLIF(_n, 0))) AS _v2, SUM(_positives * GREATEST(LEAST((TRY_CAST(top AS DOUBLE) * (_p + _n) - (_tp + _fp - _positives - _negatives)) / NULLIF(_positives + _negatives, 0), 1), 0)) / NULLIF(TRY_CAST(top AS DOUBLE) * MAX(_p), 0) AS _v3, MAX(2 * _tp / NULLIF(_tp + _fp + _p, 0)) AS _v4, MAX(CASE WHEN _tp / NULLIF(_p, 0) >= TRY_CAST(recall AS DOUBLE) THEN _tp / NULLIF(_tp + _fp, 0) END) AS _v5, MAX(CASE WHEN _tp / NULLIF(_tp + _fp, 0) >= TRY_CAST("precision" AS DOUBLE) THEN _tp / NULLIF(_p, 0) END) AS _v6, MAX(CASE WHEN _fp / NULLIF(_n, 0) <= TRY_CAST(fpr AS DOUBLE) THEN _tp / NULLIF(_p, 0) WHEN _p > 0 AND _n > 0 THEN 0e0 END) AS _v7 FROM _duckmetrics_thresholds_2 AS _duckmetrics_thresholds WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'average_precision|ap|pr_auc|ks|lift|max_f1|precision_at_recall|recall_at_precision|tpr_at_fpr') GROUP BY _segment) AS _duckmetrics_per_segment_of_thresholds_2 ON _duckmetrics_per_segment_of_thresholds_2._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment LEFT JOIN (SELECT '' AS _system, _segment, CASE WHEN _smaller > 0 THEN -_smaller * LN(_smaller) - (1 - _smaller) * DUCKMETRICS_FN_LOG1P(CAST(-_smaller AS DOUBLE)) END AS _v1 FROM (SELECT '' AS _system, _segment, CASE WHEN NOT TRY_CAST(base_rate AS DOUBLE) IS NULL THEN LEAST(TRY_CAST(base_rate AS DOUBLE), 1 - TRY_CAST(base_rate AS DOUBLE)) ELSE LEAST(SUM(_weight * _label), SUM(_weight * (1 - _label))) / NULLIF(SUM(_weight), 0) END AS _smaller FROM _duckmetrics_labeled WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'base_entropy|normalized_entropy|ne|rig') GROUP BY _segment) AS _duckmetrics_shares WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'base_entropy|normalized_entropy|ne|rig')) AS _duckmetrics_per_segment_of_shares ON _duckmetrics_per_segment_of_shares._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment LEFT JOIN (SELECT '' AS _system, _segment, SUM(_weight * _label) / NULLIF(SUM(_weight), 0) AS _v1, SUM(_weight * (_score - _label) * (_score - _label)) / NULLIF(SUM(_weight), 0) AS _v2, SUM(_weight * _score) / NULLIF(SUM(_weight * _label), 0) AS _v3, SUM(_weight * _label) / NULLIF(SUM(_weight * _score), 0) AS _v4 FROM _duckmetrics_labeled WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'base_rate|prevalence|ctr|brier|brier_score|brier_skill|calibration_ratio|pcoc|copc') GROUP BY _segment) AS _duckmetrics_per_segment_of_labeled ON _duckmetrics_per_segment_of_labeled._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment LEFT JOIN (SELECT '' AS _system, _segment, _intercept AS _v1, _slope AS _v2 FROM (WITH RECURSIVE _duckmetrics_logits AS (SELECT '' AS _system, _segment, _positives, _positives + _negatives AS _n, LN(GREATEST(LEAST(_score, 1 - CASE WHEN NOT eps IS NULL AND COALESCE(TRUE AND ISFINITE(TRY_CAST(eps AS DOUBLE)) AND (TRY_CAST(eps AS DOUBLE) > 0) AND (TRY_CAST(eps AS DOUBLE) < 0.5), FALSE) THEN TRY_CAST(eps AS DOUBLE) ELSE 1e-15 END), CASE WHEN NOT eps IS NULL AND COALESCE(TRUE AND ISFINITE(TRY_CAST(eps AS DOUBLE)) AND (TRY_CAST(eps AS DOUBLE) > 0) AND (TRY_CAST(eps AS DOUBLE) < 0.5), FALSE) THEN TRY_CAST(eps AS DOUBLE) ELSE 1e-15 END) / (1 - GREATEST(LEAST(_score, 1 - CASE WHEN NOT eps IS NULL AND COALESCE(TRUE AND ISFINITE(TRY_CAST(eps AS DOUBLE)) AND (TRY_CAST(eps AS DOUBLE) > 0) AND (TRY_CAST(eps AS DOUBLE) < 0.5), FALSE) THEN TRY_CAST(eps AS DOUBLE) ELSE 1e-15 END), CASE WHEN NOT eps IS NULL AND COALESCE(TRUE AND ISFINITE(TRY_CAST(eps AS DOUBLE)) AND (TRY_CAST(eps AS DOUBLE) > 0) AND (TRY_CAST(eps AS DOUBLE) < 0.5), FALSE) THEN TRY_CAST(eps AS DOUBLE) ELSE 1e-15 END))) AS _x FROM _duckmetrics_score_groups_2 AS _duckmetrics_score_groups), _duckmetrics_newton AS (SELECT '' AS _system, _segment, 0 AS _step, 0e0 AS _intercept, 0e0 AS _slope, 1e0 AS _change FROM _duckmetrics_logits GROUP BY _segment HAVING MIN(_x) < MAX(_x) AND SUM(_positives) > 0 AND SUM(_positives) < SUM(_n) UNION ALL SELECT '' AS _system, _segment, _step + 1 AS _step, _intercept + (_s2 * _g0 - _s1 * _g1) / (_s0 * _s2 - _s1 * _s1) AS _intercept, _slope + (_s0 * _g1 - _s1 * _g0) / (_s0 * _s2 - _s1 * _s1) AS _slope, GREATEST(ABS(_s2 * _g0 - _s1 * _g1), ABS(_s0 * _g1 - _s1 * _g0)) / (_s0 * _s2 - _s1 * _s1) AS _change FROM (SELECT '' AS _system, _segment, _step, _intercept, _slope, SUM(_positives - _n * _p) AS _g0, SUM((_positives - _n * _p) * _x) AS _g1, SUM(_n * _p * (1 - _p)) AS _s0, SUM(_n * _p * (1 - _p) * _x) AS _s1, SUM(_n * _p * (1 - _p) * _x * _x) AS _s2 FROM (SELECT '' AS _system, _duckmetrics_newton._segment, _duckmetrics_newton._step, _duckmetrics_newton._intercept, _duckmetrics_newton._slope, _duckmetrics_logits._positives, _duckmetrics_logits._n, _duckmetrics_logits._x, 1 / (1 + EXP(-_duckmetrics_newton._intercept - _duckmetrics_newton._slope * _duckmetrics_logits._x)) AS _p FROM _duckmetrics_newton JOIN _duckmetrics_logits ON _duckmetrics_logits._segment IS NOT DISTINCT FROM _duckmetrics_newton._segment WHERE _duckmetrics_newton._step < 25 AND _duckmetrics_newton._change >= 1e-10) AS _duckmetrics_fitted GROUP BY _segment, _step, _intercept, _slope) AS _duckmetrics_moments WHERE _s0 * _s2 - _s1 * _s1 > 0) SELECT '' AS _system, _segment, _intercept, _slope FROM _duckmetrics_newton WHERE _change < 1e-10 AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'calibration_intercept|calibration_slope')) AS _duckmetrics_calibration_fit WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'calibration_intercept|calibration_slope')) AS _duckmetrics_per_segment_of_calibration_fit ON _duckmetrics_per_segment_of_calibration_fit._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment LEFT JOIN (SELECT '' AS _system, _segment, (_observed - _expected) / NULLIF(1 - _expected, 0) AS _v1 FROM (SELECT '' AS _system, _segment, (_tp + _tn) / NULLIF(_tp + _fp + _fn + _tn, 0) AS _observed, ((_tp + _fp) * (_tp + _fn) + (_tn + _fp) * (_tn + _fn)) / NULLIF((_tp + _fp + _fn + _tn) * (_tp + _fp + _fn + _tn), 0) AS _expected FROM _duckmetrics_confusion WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'cohen_kappa|kappa')) AS _duckmetrics_agreement WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'cohen_kappa|kappa')) AS _duckmetrics_per_segment_of_agreement ON _duckmetrics_per_segment_of_agreement._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment LEFT JOIN (SELECT '' AS _system, _segment, SUM(_share * _auc) / NULLIF(SUM(_share) FILTER(WHERE NOT _auc IS NULL), 0) AS _v1, COUNT(*) FILTER(WHERE _auc IS NULL) AS _v2 FROM (SELECT '' AS _system, _segment, (_won + _tied / 2) / NULLIF(_positives * _negatives, 0) AS _auc, CASE TRY_CAST(average AS TEXT) WHEN 'impressions' THEN _positives + _negatives WHEN 'positives' THEN _positives WHEN 'pairs' THEN _positives * _negatives ELSE 1e0 END AS _share FROM (SELECT '' AS _system, _duckmetrics_places._segment, _duckmetrics_places._group_id, SUM(_duckmetrics_places._label) AS _positives, SUM(1 - _duckmetrics_places._label) AS _negatives, (SUM(_duckmetrics_places._label * (_duckmetrics_places._first_rank + FLOOR(_duckmetrics_places._share_upto * _duckmetrics_places._group_size + 0.5e0))) - SUM(_duckmetrics_places._label) * (SUM(_duckmetrics_places._label) + 1)) / 2 AS _won, 0e0 AS _tied FROM (SELECT '' AS _system, _segment, _group_id, _label, RANK() OVER (PARTITION BY _segment, _group_id ORDER BY _score ASC NULLS LAST) AS _first_rank, CUME_DIST() OVER (PARTITION BY _segment, _group_id ORDER BY _score ASC NULLS LAST) AS _share_upto, COUNT(*) OVER (PARTITION BY _segment, _group_id) AS _group_size FROM _duckmetrics_labeled_2 AS _duckmetrics_labeled WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'gauc')) AS _duckmetrics_places JOIN _duckmetrics_segments_2 AS _duckmetrics_segments ON _duckmetrics_segments._segment IS NOT DISTINCT FROM _duckmetrics_places._segment WHERE CASE WHEN NOT approx IS NULL THEN 'grouped' ELSE plan END = 'sorted' AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'gauc') GROUP BY _duckmetrics_places._segment, _duckmetrics_places._group_id UNION ALL SELECT '' AS _system, _segment, _group_id, SUM(_positives) AS _positives, SUM(_negatives) AS _negatives, SUM(_positives * (_n - _fp)) AS _won, SUM(_positives * _negatives) AS _tied FROM (SELECT '' AS _system, _segment, _group_id, _score, _positives, _negatives, _tp, _fp, MAX(_tp) OVER (PARTITION BY _segment, _group_id) AS _p, MAX(_fp) OVER (PARTITION BY _segment, _group_id) AS _n FROM (SELECT '' AS _system, _segment, _group_id, _score, _positives, _negatives, SUM(_positives) OVER (PARTITION BY _segment, _group_id ORDER BY _score DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _tp, SUM(_negatives) OVER (PARTITION BY _segment, _group_id ORDER BY _score DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _fp FROM (SELECT '' AS _system, _segment, _group_id, _score, SUM(_weight * _label) AS _positives, SUM(_weight * (1 - _label)) AS _negatives FROM _duckmetrics_labeled_2 AS _duckmetrics_labeled WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'gauc') GROUP BY _segment, _group_id, _score) AS _duckmetrics_score_groups WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'gauc')) AS _duckmetrics_cumulated WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'gauc')) AS _duckmetrics_thresholds WHERE CASE WHEN NOT approx IS NULL THEN 'grouped' ELSE plan END = 'grouped' AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'gauc') GROUP BY _segment, _group_id) AS _duckmetrics_pairs WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'gauc')) AS _duckmetrics_groups WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'gauc') GROUP BY _segment) AS _duckmetrics_per_segment_of_groups ON _duckmetrics_per_segment_of_groups._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment LEFT JOIN (SELECT '' AS _system, _segment, (_won + _tied / 2) / NULLIF(_positives * _negatives, 0) AS _v1 FROM (SELECT '' AS _system, _duckmetrics_places._segment, NULL AS _group_id, SUM(_duckmetrics_places._label) AS _positives, SUM(1 - _duckmetrics_places._label) AS _negatives, (SUM(_duckmetrics_places._label * (_duckmetrics_places._first_rank + FLOOR(_duckmetrics_places._share_upto * _duckmetrics_segments._n + 0.5e0))) - SUM(_duckmetrics_places._label) * (SUM(_duckmetrics_places._label) + 1)) / 2 AS _won, 0e0 AS _tied FROM _duckmetrics_places_2 AS _duckmetrics_places JOIN _duckmetrics_segments_2 AS _duckmetrics_segments ON _duckmetrics_segments._segment IS NOT DISTINCT FROM _duckmetrics_places._segment WHERE CASE WHEN NOT approx IS NULL THEN 'grouped' ELSE plan END = 'sorted' AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'gini|accuracy_ratio') GROUP BY _duckmetrics_places._segment UNION ALL SELECT '' AS _system, _segment, NULL AS _group_id, SUM(_positives) AS _positives, SUM(_negatives) AS _negatives, SUM(_positives * (_n - _fp)) AS _won, SUM(_positives * _negatives) AS _tied FROM _duckmetrics_thresholds_2 AS _duckmetrics_thresholds WHERE CASE WHEN NOT approx IS NULL THEN 'grouped' ELSE plan END = 'grouped' AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'gini|accuracy_ratio') GROUP BY _segment) AS _duckmetrics_pairs WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'gini|accuracy_ratio')) AS _duckmetrics_per_segment_of_pairs_3 ON _duckmetrics_per_segment_of_pairs_3._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment LEFT JOIN (SELECT '' AS _system, _segment, CASE WHEN MIN(_mean_score * (1 - _mean_score)) > 0 THEN SUM(_total * (_mean_label - _mean_score) * (_mean_label - _mean_score) / NULLIF(_mean_score * (1 - _mean_score), 0)) END AS _v1 FROM (SELECT '' AS _system, _segment, _bin, COUNT(*) AS _n, SUM(1.0e0) AS _total, SUM(1.0e0 * _p) / NULLIF(SUM(1.0e0), 0) AS _mean_score, SUM(1.0e0 * _label) / NULLIF(SUM(1.0e0), 0) AS _mean_label FROM (SELECT '' AS _system, _segment, _label, _p, 1.0e0 AS _weight, CASE WHEN _place < _wide * (_few + 1) THEN FLOOR(_place / (_few + 1)) ELSE _wide + FLOOR((_place - _wide * (_few + 1)) / NULLIF(_few, 0)) END AS _bin FROM (SELECT '' AS _system, _segment, CASE WHEN _label > 0 THEN 1e0 ELSE 0e0 END AS _label, _score AS _p, 1e0 AS _weight, RANK() OVER (PARTITION BY _segment ORDER BY _score ASC NULLS LAST) - 1 AS _place, FLOOR(COUNT(*) OVER (PARTITION BY _segment) / CAST(CASE WHEN NOT bins IS NULL AND COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 2), FALSE) THEN TRY_CAST(bins AS INT) ELSE 10 END AS DOUBLE)) AS _few, COUNT(*) OVER (PARTITION BY _segment) % CASE WHEN NOT bins IS NULL AND COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 2), FALSE) THEN TRY_CAST(bins AS INT) ELSE 10 END AS _wide FROM _duckmetrics_predictions WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'hosmer_lemeshow')) AS _duckmetrics_places WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'hosmer_lemeshow')) AS _duckmetrics_binned WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'hosmer_lemeshow') GROUP BY _segment, _bin) AS _duckmetrics_bins WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'hosmer_lemeshow') GROUP BY _segment) AS _duckmetrics_per_segment_of_bins_2 ON _duckmetrics_per_segment_of_bins_2._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment LEFT JOIN (SELECT '' AS _system, _segment, -SUM(_weight * CASE WHEN _label = 1 AND _p > 0 THEN LN(_p) WHEN _label = 0 AND _p < 1 THEN LN(1 - _p) + ((1 - (1 - _p)) - _p) / (1 - _p) /* the rounding of 1 - p, put right */ ELSE CAST('-Infinity' AS DOUBLE) END) / NULLIF(SUM(_weight), 0) AS _v1 FROM (SELECT '' AS _system, _segment, _label, GREATEST(LEAST(_score, 1 - CASE WHEN NOT eps IS NULL AND COALESCE(TRUE AND ISFINITE(TRY_CAST(eps AS DOUBLE)) AND (TRY_CAST(eps AS DOUBLE) >= 0) AND (TRY_CAST(eps AS DOUBLE) < 0.5), FALSE) THEN TRY_CAST(eps AS DOUBLE) ELSE 1e-15 END), CASE WHEN NOT eps IS NULL AND COALESCE(TRUE AND ISFINITE(TRY_CAST(eps AS DOUBLE)) AND (TRY_CAST(eps AS DOUBLE) >= 0) AND (TRY_CAST(eps AS DOUBLE) < 0.5), FALSE) THEN TRY_CAST(eps AS DOUBLE) ELSE 1e-15 END) AS _p, _weight FROM _duckmetrics_labeled WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'log_loss|logloss|cross_entropy|normalized_entropy|ne|rig')) AS _duckmetrics_clipped WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'log_loss|logloss|cross_entropy|normalized_entropy|ne|rig') GROUP BY _segment) AS _duckmetrics_per_segment_of_clipped ON _duckmetrics_per_segment_of_clipped._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment LEFT JOIN (SELECT '' AS _system, _segment, SUM(_weight * ABS(_score - _label)) / NULLIF(SUM(_weight), 0) AS _v1, SQRT(SUM(_weight * (_score - _label) * (_score - _label)) / NULLIF(SUM(_weight), 0)) AS _v2 FROM _duckmetrics_ratings WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'mae|rmse') GROUP BY _segment) AS _duckmetrics_per_segment_of_ratings ON _duckmetrics_per_segment_of_ratings._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment LEFT JOIN (SELECT '' AS _system, _segment, CASE TRY_CAST(norm AS TEXT) WHEN 'raw' THEN _raw WHEN 'max_fpr' THEN _raw / TRY_CAST(max_fpr AS DOUBLE) ELSE (1 + (_raw - TRY_CAST(max_fpr AS DOUBLE) * TRY_CAST(max_fpr AS DOUBLE) / 2) / (TRY_CAST(max_fpr AS DOUBLE) - TRY_CAST(max_fpr AS DOUBLE) * TRY_CAST(max_fpr AS DOUBLE) / 2)) / 2 END AS _v1 FROM (SELECT '' AS _system, _segment, SUM(CASE WHEN _fp / _n <= TRY_CAST(max_fpr AS DOUBLE) THEN _negatives / _n * (2 * _tp - _positives) / _p / 2 WHEN (_fp - _negatives) / _n < TRY_CAST(max_fpr AS DOUBLE) THEN (TRY_CAST(max_fpr AS DOUBLE) - (_fp - _negatives) / _n) * (2 * (_tp - _positives) + _positives * (TRY_CAST(max_fpr AS DOUBLE) - (_fp - _negatives) / _n) * _n / _negatives) / _p / 2 ELSE 0 END) AS _raw FROM _duckmetrics_thresholds_2 AS _duckmetrics_thresholds WHERE (_p > 0 AND _n > 0) AND DUCKMETRICS_FN_ASKS_FOR(metrics, 'partial_auc') GROUP BY _segment) AS _duckmetrics_area WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'partial_auc')) AS _duckmetrics_per_segment_of_area ON _duckmetrics_per_segment_of_area._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment LEFT JOIN (SELECT '' AS _system, _segment, 1 - SUM(_weight * _residual * _residual) / NULLIF(SUM(_weight * _deviation * _deviation), 0) AS _v1 FROM (SELECT '' AS _system, _segment, _weight, _label - _score AS _residual, _label - SUM(_weight * _label) OVER (PARTITION BY _segment) / NULLIF(SUM(_weight) OVER (PARTITION BY _segment), 0) AS _deviation FROM _duckmetrics_ratings WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'r2')) AS _duckmetrics_centered WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'r2') GROUP BY _segment) AS _duckmetrics_per_segment_of_centered ON _duckmetrics_per_segment_of_centered._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment LEFT JOIN (SELECT '' AS _system, _segment, SUM((CASE WHEN _label > 0 THEN 1e0 ELSE 0e0 END - _score) * (1 - 2 * _score)) / NULLIF(SQRT(GREATEST(SUM((1 - 2 * _score) * (1 - 2 * _score) * _score * (1 - _score)), 0e0)), 0) AS _v1 FROM _duckmetrics_predictions WHERE DUCKMETRICS_FN_ASKS_FOR(metrics, 'spiegelhalter_p|spiegelhalter_z') GROUP BY _segment) AS _duckmetrics_per_segment_of_predictions ON _duckmetrics_per_segment_of_predictions._segment IS NOT DISTINCT FROM _duckmetrics_segments._segment) AS _duckmetrics_per_segment) AS _duckmetrics_segment_values CROSS JOIN (SELECT CASE WHEN COUNT(*) > 0 THEN ERROR('duckmetrics: ' || COALESCE(ARG_MIN(_problem, _place), 'the input cannot be evaluated')) ELSE TRUE END AS _fine FROM (SELECT CASE WHEN DUCKMETRICS_FN_METRIC_NAME(_metric) = '' THEN '''' || _metric || ''' cannot be read; write name@k, and for other parameters take the macro of the metric' WHEN _measure IS NULL THEN '''' || _metric || ''' is no metric here; did you mean ''' || (SELECT ARG_MAX(_name, JARO_WINKLER_SIMILARITY(_name, DUCKMETRICS_FN_METRIC_NAME(_metric))) FROM _duckmetrics_known) || '''?' WHEN _k <= 0 THEN '''' || _metric || ''': the cut-off must be a positive whole number, such as @10' WHEN NOT _k IS NULL AND NOT _has_cutoff THEN '''' || _metric || ''' has no cut-off; drop it' ELSE '''' || _metric || ''' is asked for twice; name each metric once' END AS _problem, 0 AS _place FROM _duckmetrics_specs WHERE _measure IS NULL OR _k <= 0 OR (NOT _k IS NULL AND NOT _has_cutoff) OR _metric IN (SELECT _metric FROM _duckmetrics_specs GROUP BY _metric HAVING COUNT(*) > 1) UNION ALL SELECT 'plan cannot be ''' || COALESCE(CAST(plan AS TEXT), 'NULL') || '''; choose sorted or grouped' AS _problem, 1 AS _place WHERE plan IS NULL OR NOT CAST(plan AS TEXT) IN ('sorted', 'grouped') UNION ALL SELECT 'data: no rows; check how they were exported' AS _problem, 2 AS _place WHERE NOT EXISTS(SELECT 1 FROM _duckmetrics_predictions) UNION ALL SELECT _problem, 3 AS _place FROM (SELECT CASE WHEN CAST(threshold AS TEXT) IS DISTINCT FROM CAST(0.5e0 AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('accuracy', 'balanced_accuracy', 'cohen_kappa', 'f_beta', 'fnr', 'fpr', 'mcc', 'npv', 'precision', 'recall', 'specificity', 'f1') AND COALESCE(TRUE AND ISFINITE(TRY_CAST(threshold AS DOUBLE)), FALSE)) = 0 THEN 'threshold cannot be ''' || COALESCE(CAST(threshold AS TEXT), 'NULL') || ''' for what is asked; it must be a number' WHEN COUNT(*) FILTER(WHERE threshold IS NULL AND _measure IN ('accuracy', 'balanced_accuracy', 'cohen_kappa', 'f_beta', 'fnr', 'fpr', 'mcc', 'npv', 'precision', 'recall', 'specificity', 'f1')) > 0 THEN 'threshold is missing; give it a number' WHEN CAST(bins AS TEXT) IS DISTINCT FROM CAST(10 AS TEXT) AND COUNT(*) FILTER(WHERE (_measure IN ('ace', 'ece', 'mce') AND COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 0), FALSE)) OR (_measure IN ('hosmer_lemeshow') AND COALESCE(TRUE AND (ISFINITE(TRY_CAST(bins AS DOUBLE)) AND TRY_CAST(bins AS DOUBLE) = FLOOR(TRY_CAST(bins AS DOUBLE))) AND (TRY_CAST(bins AS INT) > 2), FALSE))) = 0 THEN 'bins cannot be ''' || COALESCE(CAST(bins AS TEXT), 'NULL') || ''' for what is asked; it must be a whole number and bins > 0 or a whole number and bins > 2' WHEN COUNT(*) FILTER(WHERE bins IS NULL AND _measure IN ('ace', 'ece', 'mce')) > 0 THEN 'bins is missing; give it a whole number' WHEN COUNT(*) FILTER(WHERE bins IS NULL AND _measure IN ('hosmer_lemeshow')) > 0 THEN 'bins is missing; give it a whole number' WHEN CAST(binning AS TEXT) IS DISTINCT FROM CAST('width' AS TEXT) AND COUNT(*) FILTER(WHERE (_measure IN ('ace', 'ece', 'mce') AND COALESCE(TRUE AND (TRY_CAST(binning AS TEXT) IN ('width', 'mass')), FALSE)) OR (_measure IN ('hosmer_lemeshow') AND COALESCE(TRUE AND (TRY_CAST(binning AS TEXT) IN ('mass')), FALSE))) = 0 THEN 'binning cannot be ''' || COALESCE(CAST(binning AS TEXT), 'NULL') || ''' for what is asked; choose width or mass' WHEN COUNT(*) FILTER(WHERE binning IS NULL AND _measure IN ('ace', 'ece', 'mce')) > 0 THEN 'binning is missing; give it width or another value' WHEN CAST(approx AS TEXT) IS DISTINCT FROM CAST(NULL AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('auc') AND (approx IS NULL OR COALESCE(TRUE AND (ISFINITE(TRY_CAST(approx AS DOUBLE)) AND TRY_CAST(approx AS DOUBLE) = FLOOR(TRY_CAST(approx AS DOUBLE))) AND (TRY_CAST(approx AS INT) > 1), FALSE))) = 0 THEN 'approx cannot be ''' || COALESCE(CAST(approx AS TEXT), 'NULL') || ''' for what is asked; it must be a whole number and approx > 1' WHEN CAST(interpolation AS TEXT) IS DISTINCT FROM CAST('step' AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('average_precision') AND COALESCE(TRUE AND (TRY_CAST(interpolation AS TEXT) IN ('step', 'trapezoid')), FALSE)) = 0 THEN 'interpolation cannot be ''' || COALESCE(CAST(interpolation AS TEXT), 'NULL') || ''' for what is asked; choose step or trapezoid' WHEN COUNT(*) FILTER(WHERE interpolation IS NULL AND _measure IN ('average_precision')) > 0 THEN 'interpolation is missing; give it step or another value' WHEN CAST(base_rate AS TEXT) IS DISTINCT FROM CAST(NULL AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('base_entropy', 'brier_skill', 'normalized_entropy', 'rig') AND (base_rate IS NULL OR COALESCE(TRUE AND ISFINITE(TRY_CAST(base_rate AS DOUBLE)) AND (TRY_CAST(base_rate AS DOUBLE) > 0) AND (TRY_CAST(base_rate AS DOUBLE) < 1), FALSE))) = 0 THEN 'base_rate cannot be ''' || COALESCE(CAST(base_rate AS TEXT), 'NULL') || ''' for what is asked; it must be a number and base_rate > 0 and base_rate < 1' WHEN CAST(eps AS TEXT) IS DISTINCT FROM CAST(1e-15 AS TEXT) AND COUNT(*) FILTER(WHERE (_measure IN ('calibration_intercept', 'calibration_slope') AND COALESCE(TRUE AND ISFINITE(TRY_CAST(eps AS DOUBLE)) AND (TRY_CAST(eps AS DOUBLE) > 0) AND (TRY_CAST(eps AS DOUBLE) < 0.5), FALSE)) OR (_measure IN ('log_loss', 'normalized_entropy', 'rig') AND COALESCE(TRUE AND ISFINITE(TRY_CAST(eps AS DOUBLE)) AND (TRY_CAST(eps AS DOUBLE) >= 0) AND (TRY_CAST(eps AS DOUBLE) < 0.5), FALSE))) = 0 THEN 'eps cannot be ''' || COALESCE(CAST(eps AS TEXT), 'NULL') || ''' for what is asked; it must be a number and eps > 0 and eps < 0.5 or a number and eps >= 0 and eps < 0.5' WHEN COUNT(*) FILTER(WHERE eps IS NULL AND _measure IN ('calibration_intercept', 'calibration_slope')) > 0 THEN 'eps is missing; give it a number' WHEN COUNT(*) FILTER(WHERE eps IS NULL AND _measure IN ('log_loss', 'normalized_entropy', 'rig')) > 0 THEN 'eps is missing; give it a number' WHEN CAST(beta AS TEXT) IS DISTINCT FROM CAST(NULL AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('f_beta') AND COALESCE(TRUE AND ISFINITE(TRY_CAST(beta AS DOUBLE)) AND (TRY_CAST(beta AS DOUBLE) > 0), FALSE)) = 0 THEN 'beta cannot be ''' || COALESCE(CAST(beta AS TEXT), 'NULL') || ''' for what is asked; it must be a number and beta > 0' WHEN COUNT(*) FILTER(WHERE beta IS NULL AND _measure IN ('f_beta')) > 0 THEN 'beta is missing; give it a number' WHEN CAST(average AS TEXT) IS DISTINCT FROM CAST('impressions' AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('gauc') AND COALESCE(TRUE AND (TRY_CAST(average AS TEXT) IN ('impressions', 'positives', 'pairs', 'uniform')), FALSE)) = 0 THEN 'average cannot be ''' || COALESCE(CAST(average AS TEXT), 'NULL') || ''' for what is asked; choose impressions or positives or pairs or uniform' WHEN COUNT(*) FILTER(WHERE average IS NULL AND _measure IN ('gauc')) > 0 THEN 'average is missing; give it impressions or another value' WHEN CAST(top AS TEXT) IS DISTINCT FROM CAST(NULL AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('lift') AND COALESCE(TRUE AND ISFINITE(TRY_CAST(top AS DOUBLE)) AND (TRY_CAST(top AS DOUBLE) > 0) AND (TRY_CAST(top AS DOUBLE) <= 1), FALSE)) = 0 THEN 'top cannot be ''' || COALESCE(CAST(top AS TEXT), 'NULL') || ''' for what is asked; it must be a number and top > 0 and top <= 1' WHEN COUNT(*) FILTER(WHERE top IS NULL AND _measure IN ('lift')) > 0 THEN 'top is missing; give it a number' WHEN CAST(max_fpr AS TEXT) IS DISTINCT FROM CAST(NULL AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('partial_auc') AND COALESCE(TRUE AND ISFINITE(TRY_CAST(max_fpr AS DOUBLE)) AND (TRY_CAST(max_fpr AS DOUBLE) > 0) AND (TRY_CAST(max_fpr AS DOUBLE) <= 1), FALSE)) = 0 THEN 'max_fpr cannot be ''' || COALESCE(CAST(max_fpr AS TEXT), 'NULL') || ''' for what is asked; it must be a number and max_fpr > 0 and max_fpr <= 1' WHEN COUNT(*) FILTER(WHERE max_fpr IS NULL AND _measure IN ('partial_auc')) > 0 THEN 'max_fpr is missing; give it a number' WHEN CAST(norm AS TEXT) IS DISTINCT FROM CAST('mcclish' AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('partial_auc') AND COALESCE(TRUE AND (TRY_CAST(norm AS TEXT) IN ('mcclish', 'raw', 'max_fpr')), FALSE)) = 0 THEN 'norm cannot be ''' || COALESCE(CAST(norm AS TEXT), 'NULL') || ''' for what is asked; choose mcclish or raw or max_fpr' WHEN COUNT(*) FILTER(WHERE norm IS NULL AND _measure IN ('partial_auc')) > 0 THEN 'norm is missing; give it mcclish or another value' WHEN CAST(recall AS TEXT) IS DISTINCT FROM CAST(NULL AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('precision_at_recall') AND COALESCE(TRUE AND ISFINITE(TRY_CAST(recall AS DOUBLE)) AND (TRY_CAST(recall AS DOUBLE) >= 0) AND (TRY_CAST(recall AS DOUBLE) <= 1), FALSE)) = 0 THEN 'recall cannot be ''' || COALESCE(CAST(recall AS TEXT), 'NULL') || ''' for what is asked; it must be a number and recall >= 0 and recall <= 1' WHEN COUNT(*) FILTER(WHERE recall IS NULL AND _measure IN ('precision_at_recall')) > 0 THEN 'recall is missing; give it a number' WHEN CAST("precision" AS TEXT) IS DISTINCT FROM CAST(NULL AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('recall_at_precision') AND COALESCE(TRUE AND ISFINITE(TRY_CAST("precision" AS DOUBLE)) AND (TRY_CAST("precision" AS DOUBLE) >= 0) AND (TRY_CAST("precision" AS DOUBLE) <= 1), FALSE)) = 0 THEN 'precision cannot be ''' || COALESCE(CAST("precision" AS TEXT), 'NULL') || ''' for what is asked; it must be a number and precision >= 0 and precision <= 1' WHEN COUNT(*) FILTER(WHERE "precision" IS NULL AND _measure IN ('recall_at_precision')) > 0 THEN 'precision is missing; give it a number' WHEN CAST(fpr AS TEXT) IS DISTINCT FROM CAST(NULL AS TEXT) AND COUNT(*) FILTER(WHERE _measure IN ('tpr_at_fpr') AND COALESCE(TRUE AND ISFINITE(TRY_CAST(fpr AS DOUBLE)) AND (TRY_CAST(fpr AS DOUBLE) >= 0) AND (TRY_CAST(fpr AS DOUBLE) <= 1), FALSE)) = 0 THEN 'fpr cannot be ''' || COALESCE(CAST(fpr AS TEXT), 'NULL') || ''' for what is asked; it must be a number and fpr >= 0 and fpr <= 1' WHEN COUNT(*) FILTER(WHERE fpr IS NULL AND _measure IN ('tpr_at_fpr')) > 0 THEN 'fpr is missing; give it a number' END AS _problem FROM _duckmetrics_specs) AS _duckmetrics_given WHERE NOT _problem IS NULL UNION ALL SELECT CASE WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'accuracy|ace|auc|roc_auc|auroc|auc_pairwise|average_precision|ap|pr_auc|balanced_accuracy|base_entropy|base_rate|prevalence|ctr|brier|brier_score|brier_skill|calibration_intercept|calibration_ratio|pcoc|calibration_slope|cohen_kappa|kappa|copc|ece|f_beta|fnr|fpr|gauc|gini|accuracy_ratio|hosmer_lemeshow|ks|lift|log_loss|logloss|cross_entropy|max_f1|mcc|phi|mce|normalized_entropy|ne|npv|partial_auc|precision|ppv|precision_at_recall|recall|tpr|sensitivity|recall_at_precision|rig|specificity|tnr|spiegelhalter_p|spiegelhalter_z|tpr_at_fpr|f1') AND (_label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0)) THEN 'predictions.label: rows with the label -1 beside others with 0, so that the negative class is unclear' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop one of the two or make them one class' WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'ace|brier|brier_score|brier_skill|calibration_intercept|calibration_ratio|pcoc|calibration_slope|copc|ece|hosmer_lemeshow|log_loss|logloss|cross_entropy|mce|normalized_entropy|ne|rig|spiegelhalter_p|spiegelhalter_z') AND ((_score < 0 OR _score > 1) AND NOT ISNAN(_score)) THEN 'predictions.score: rows whose score lies outside of [0, 1], so it is no probability' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); apply the sigmoid or calibrate it first; metrics such as auc take any score' WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'gauc') AND _group_id IS NULL THEN 'predictions.group_id: rows whose group is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or give them a group' WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'accuracy|ace|auc|roc_auc|auroc|auc_pairwise|average_precision|ap|pr_auc|balanced_accuracy|base_entropy|base_rate|prevalence|ctr|brier|brier_score|brier_skill|calibration_intercept|calibration_ratio|pcoc|calibration_slope|cohen_kappa|kappa|copc|ece|f_beta|fnr|fpr|gauc|gini|accuracy_ratio|ks|lift|log_loss|logloss|cross_entropy|mae|max_f1|mcc|phi|mce|normalized_entropy|ne|npv|partial_auc|precision|ppv|precision_at_recall|r2|recall|tpr|sensitivity|recall_at_precision|rig|rmse|specificity|tnr|tpr_at_fpr|f1') AND _weight IS NULL THEN 'predictions.weight: rows whose weight is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); give them a weight, 0 leaves a row out' WHEN ISNAN(_label) OR ISINF(_label) THEN 'predictions.label: rows whose label is NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows' WHEN ISNAN(_score) THEN 'predictions.score: rows whose score is NaN, which would sort above every number' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _label IS NULL THEN 'predictions.label: rows whose label is NULL' || ' (score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows, or say what a missing label means' WHEN _score IS NULL THEN 'predictions.score: rows whose score is NULL' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || '); drop these rows or find out why nothing was predicted' WHEN _system IS NULL THEN 'predictions.system: rows with no system' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); drop these rows or give them a name' WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'accuracy|ace|auc|roc_auc|auroc|auc_pairwise|average_precision|ap|pr_auc|balanced_accuracy|base_entropy|base_rate|prevalence|ctr|brier|brier_score|brier_skill|calibration_intercept|calibration_ratio|pcoc|calibration_slope|cohen_kappa|kappa|copc|ece|f_beta|fnr|fpr|gauc|gini|accuracy_ratio|hosmer_lemeshow|ks|lift|log_loss|logloss|cross_entropy|max_f1|mcc|phi|mce|normalized_entropy|ne|npv|partial_auc|precision|ppv|precision_at_recall|recall|tpr|sensitivity|recall_at_precision|rig|specificity|tnr|spiegelhalter_p|spiegelhalter_z|tpr_at_fpr|f1') AND (NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label)) THEN 'predictions.label: rows whose label is none of 0, 1, -1, true and false' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || '); make it 0 or 1, as in CAST(rating >= 4 AS INTEGER)' WHEN DUCKMETRICS_FN_ASKS_FOR(metrics, 'accuracy|ace|auc|roc_auc|auroc|auc_pairwise|average_precision|ap|pr_auc|balanced_accuracy|base_entropy|base_rate|prevalence|ctr|brier|brier_score|brier_skill|calibration_intercept|calibration_ratio|pcoc|calibration_slope|cohen_kappa|kappa|copc|ece|f_beta|fnr|fpr|gauc|gini|accuracy_ratio|ks|lift|log_loss|logloss|cross_entropy|mae|max_f1|mcc|phi|mce|normalized_entropy|ne|npv|partial_auc|precision|ppv|precision_at_recall|r2|recall|tpr|sensitivity|recall_at_precision|rig|rmse|specificity|tnr|tpr_at_fpr|f1') AND (_weight < 0 OR ISNAN(_weight) OR ISINF(_weight)) THEN 'predictions.weight: rows whose weight is negative, NaN or infinite' || ' (label=' || COALESCE(CAST(_label AS TEXT), 'NULL') || ', score=' || COALESCE(CAST(_score AS TEXT), 'NULL') || ', weight=' || COALESCE(CAST(_weight AS TEXT), 'NULL') || '); mend them, 0 leaves a row out' END AS _problem, 4 AS _place FROM _duckmetrics_predictions WHERE (DUCKMETRICS_FN_ASKS_FOR(metrics, 'accuracy|ace|auc|roc_auc|auroc|auc_pairwise|average_precision|ap|pr_auc|balanced_accuracy|base_entropy|base_rate|prevalence|ctr|brier|brier_score|brier_skill|calibration_intercept|calibration_ratio|pcoc|calibration_slope|cohen_kappa|kappa|copc|ece|f_beta|fnr|fpr|gauc|gini|accuracy_ratio|hosmer_lemeshow|ks|lift|log_loss|logloss|cross_entropy|max_f1|mcc|phi|mce|normalized_entropy|ne|npv|partial_auc|precision|ppv|precision_at_recall|recall|tpr|sensitivity|recall_at_precision|rig|specificity|tnr|spiegelhalter_p|spiegelhalter_z|tpr_at_fpr|f1') AND (_label = -1 AND EXISTS(SELECT 1 FROM _duckmetrics_predictions WHERE _label = 0))) OR (DUCKMETRICS_FN_ASKS_FOR(metrics, 'ace|brier|brier_score|brier_skill|calibration_intercept|calibration_ratio|pcoc|calibration_slope|copc|ece|hosmer_lemeshow|log_loss|logloss|cross_entropy|mce|normalized_entropy|ne|rig|spiegelhalter_p|spiegelhalter_z') AND ((_score < 0 OR _score > 1) AND NOT ISNAN(_score))) OR (DUCKMETRICS_FN_ASKS_FOR(metrics, 'gauc') AND _group_id IS NULL) OR (DUCKMETRICS_FN_ASKS_FOR(metrics, 'accuracy|ace|auc|roc_auc|auroc|auc_pairwise|average_precision|ap|pr_auc|balanced_accuracy|base_entropy|base_rate|prevalence|ctr|brier|brier_score|brier_skill|calibration_intercept|calibration_ratio|pcoc|calibration_slope|cohen_kappa|kappa|copc|ece|f_beta|fnr|fpr|gauc|gini|accuracy_ratio|ks|lift|log_loss|logloss|cross_entropy|mae|max_f1|mcc|phi|mce|normalized_entropy|ne|npv|partial_auc|precision|ppv|precision_at_recall|r2|recall|tpr|sensitivity|recall_at_precision|rig|rmse|specificity|tnr|tpr_at_fpr|f1') AND _weight IS NULL) OR (ISNAN(_label) OR ISINF(_label)) OR (ISNAN(_score)) OR (_label IS NULL) OR (_score IS NULL) OR (_system IS NULL) OR (DUCKMETRICS_FN_ASKS_FOR(metrics, 'accuracy|ace|auc|roc_auc|auroc|auc_pairwise|average_precision|ap|pr_auc|balanced_accuracy|base_entropy|base_rate|prevalence|ctr|brier|brier_score|brier_skill|calibration_intercept|calibration_ratio|pcoc|calibration_slope|cohen_kappa|kappa|copc|ece|f_beta|fnr|fpr|gauc|gini|accuracy_ratio|hosmer_lemeshow|ks|lift|log_loss|logloss|cross_entropy|max_f1|mcc|phi|mce|normalized_entropy|ne|npv|partial_auc|precision|ppv|precision_at_recall|recall|tpr|sensitivity|recall_at_precision|rig|specificity|tnr|spiegelhalter_p|spiegelhalter_z|tpr_at_fpr|f1') AND (NOT _label IN (0, 1, -1) AND NOT ISNAN(_label) AND NOT ISINF(_label))) OR (DUCKMETRICS_FN_ASKS_FOR(metrics, 'accuracy|ace|auc|roc_auc|auroc|auc_pairwise|average_precision|ap|pr_auc|balanced_accuracy|base_entropy|base_rate|prevalence|ctr|brier|brier_score|brier_skill|calibration_intercept|calibration_ratio|pcoc|calibration_slope|cohen_kappa|kappa|copc|ece|f_beta|fnr|fpr|gauc|gini|accuracy_ratio|ks|lift|log_loss|logloss|cross_entropy|mae|max_f1|mcc|phi|mce|normalized_entropy|ne|npv|partial_auc|precision|ppv|precision_at_recall|r2|recall|tpr|sensitivity|recall_at_precision|rig|rmse|specificity|tnr|tpr_at_fpr|f1') AND (_weight < 0 OR ISNAN(_weight) OR ISINF(_weight)))) AS _duckmetrics_problems) AS _duckmetrics_checked WHERE _fine ORDER BY _segment ASC NULLS LAST, _place ASC NULLS LAST
);
COMMENT ON MACRO temp.binomial_cdf IS 'duckmetrics
title: Binomial distribution function
call: binomial_cdf(k, n, p)
range: [0, 1]
formula: P(X <= k) of n trials with probability p = I_(1-p)(n - k, k + 1)
source: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.5.24
note: relative error below 1e-12 down to 1e-300 for n up to 100000; k is rounded down';
COMMENT ON MACRO temp.chi_square_sf IS 'duckmetrics
title: Survival function of the chi-square distribution
call: chi_square_sf(x, df)
range: [0, 1]
formula: P(X >= x) = Q(df / 2, x / 2)
source: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.4.19
note: relative error below 1e-12 down to 1e-300 for df from 1 to 100000';
COMMENT ON MACRO temp.chi_square_p IS 'duckmetrics
title: Survival function of the chi-square distribution
call: chi_square_p(x, df)
range: [0, 1]
formula: P(X >= x) = Q(df / 2, x / 2)
source: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.4.19
note: relative error below 1e-12 down to 1e-300 for df from 1 to 100000';
COMMENT ON MACRO temp.erf IS 'duckmetrics
title: Error function
call: erf(x)
range: [-1, 1]
formula: 2 / sqrt(pi) * integral of exp(-t^2) from 0 to x
source: Cody, Mathematics of Computation 1969, doi:10.1090/S0025-5718-1969-0247736-4
note: relative error below 1e-15';
COMMENT ON MACRO temp.erfc IS 'duckmetrics
title: Complementary error function
call: erfc(x)
range: [0, 2]
formula: 1 - erf(x) = 2 / sqrt(pi) * integral of exp(-t^2) from x to infinity
source: Cody, Mathematics of Computation 1969, doi:10.1090/S0025-5718-1969-0247736-4
note: relative error below 2e-15 down to 1e-300';
COMMENT ON MACRO temp.f_sf IS 'duckmetrics
title: Survival function of the F distribution
call: f_sf(f, df1, df2)
range: [0, 1]
formula: P(F >= f) = I_x(df2 / 2, df1 / 2), x = df2 / (df2 + df1 * f)
source: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.6.2
note: relative error below 1e-12 down to 1e-300 for degrees of freedom from 1 to 100000';
COMMENT ON MACRO temp.incomplete_beta IS 'duckmetrics
title: Incomplete beta function, regularized
call: incomplete_beta(a, b, x)
range: [0, 1]
formula: I_x(a, b) = integral of t^(a-1) (1-t)^(b-1) from 0 to x / B(a, b)
source: Didonato and Morris, ACM Transactions on Mathematical Software 1992, doi:10.1145/131766.131776
note: relative error below 1e-12 down to 1e-300 for a and b from 0.5 to 50000';
COMMENT ON MACRO temp.incomplete_gamma_q IS 'duckmetrics
title: Upper incomplete gamma function, regularized
call: incomplete_gamma_q(a, x)
range: [0, 1]
formula: Q(a, x) = integral of t^(a-1) exp(-t) from x to infinity / Gamma(a)
source: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 6.5.29 and 6.5.31
note: relative error below 1e-12 down to 1e-300 for a from 0.5 to 50000; for a below 0.5 absolute';
COMMENT ON MACRO temp.kolmogorov_sf IS 'duckmetrics
title: Survival function of the Kolmogorov distribution
call: kolmogorov_sf(x)
range: [0, 1]
formula: 2 * sum over i >= 1 of (-1)^(i-1) exp(-2 i^2 x^2), the limit of P(sqrt(n) * D >= x)
source: Kolmogorov, Giornale dell''Istituto Italiano degli Attuari 1933; Feller, Annals of Mathematical Statistics 1948, doi:10.1214/aoms/1177730243
note: relative error below 1e-12 down to 1e-300; of two samples x = D * sqrt(n1 * n2 / (n1 + n2))';
COMMENT ON MACRO temp.normal_cdf IS 'duckmetrics
title: Normal distribution function
call: normal_cdf(z)
range: [0, 1]
formula: P(Z <= z) of a standard normal Z = erfc(-z / sqrt(2)) / 2
source: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.2.29
note: relative error below 5e-13 down to 1e-300';
COMMENT ON MACRO temp.normal_p IS 'duckmetrics
title: Two-sided p-value of a normal statistic
call: normal_p(z)
range: [0, 1]
formula: P(abs(Z) >= abs(z)) of a standard normal Z = erfc(abs(z) / sqrt(2))
source: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.2.29
note: relative error below 5e-13 down to 1e-300';
COMMENT ON MACRO temp.normal_quantile IS 'duckmetrics
title: Normal quantile
call: normal_quantile(p)
range: [-inf, inf]
formula: the z with P(Z <= z) = p of a standard normal Z
source: Wichura, Applied Statistics 1988, algorithm AS 241 (PPND16), doi:10.2307/2347330
note: relative error below 1e-15';
COMMENT ON MACRO temp.normal_sf IS 'duckmetrics
title: Normal survival function
call: normal_sf(z)
range: [0, 1]
formula: P(Z > z) of a standard normal Z = erfc(z / sqrt(2)) / 2
source: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.2.29
note: relative error below 5e-13 down to 1e-300';
COMMENT ON MACRO temp.student_t_critical IS 'duckmetrics
title: Two-sided critical value of the Student t distribution
call: student_t_critical(alpha, df)
range: [0, inf]
formula: the t >= 0 with P(abs(T) >= t) = alpha
source: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.1 and 26.7.5
note: relative error below 1e-12 for alpha from 1e-300 and df from 1 to infinity';
COMMENT ON MACRO temp.student_t_p IS 'duckmetrics
title: Two-sided p-value of a Student t statistic
call: student_t_p(t, df)
range: [0, 1]
formula: P(abs(T) >= abs(t)) = I_x(df / 2, 1 / 2), x = df / (df + t^2)
source: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.1
note: relative error below 1e-12 down to 1e-300 for df from 1 to infinity, whole or not';
COMMENT ON MACRO temp.student_t_quantile IS 'duckmetrics
title: Student t quantile
call: student_t_quantile(p, df)
range: [-inf, inf]
formula: the t with P(T <= t) = p
source: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.1 and 26.7.5
note: relative error below 1e-12 for p from 1e-300 to 1 - 1e-16 and df from 1 to infinity';
COMMENT ON MACRO temp.student_t_sf IS 'duckmetrics
title: Survival function of the Student t distribution
call: student_t_sf(t, df)
range: [0, 1]
formula: P(T >= t), half of the two-sided p-value for t >= 0
source: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.1
note: relative error below 1e-12 down to 1e-300 for df from 1 to infinity, whole or not';
COMMENT ON MACRO TABLE temp.read_trec_run IS 'duckmetrics
title: Rows of a TREC run file: query, Q0, item, rank, score, tag
call: FROM read_trec_run(path)';
COMMENT ON MACRO TABLE temp.read_trec_qrels IS 'duckmetrics
title: Rows of a TREC qrels file: query, iteration, item, relevance
call: FROM read_trec_qrels(path)';
COMMENT ON MACRO temp.accuracy IS 'duckmetrics
title: Share of the rows that are classified right
call: accuracy(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [0, 1], higher is better
formula: (TP + TN) / (TP + FP + FN + TN)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO temp.auc IS 'duckmetrics
title: Area under the ROC curve
call: auc(label, score)
where_: default TRUE
formula: 1 - (sum of the places of the positives, first and last among equal scores - P (P + 1)) / (2 P N)
note: exact, in memory: a list for each group; table macro and Python take any size';
COMMENT ON MACRO temp.average_precision IS 'duckmetrics
title: Average precision, the area under the precision-recall curve
call: average_precision(label, score)
where_: default TRUE
formula: sum over distinct scores, descending, of (R - previous R) P
note: among equal scores the positives are last, so that the last of them is at the place of the threshold';
COMMENT ON MACRO temp.average_precision_score IS 'duckmetrics
title: Average precision, the area under the precision-recall curve
call: average_precision_score(label, score)
where_: default TRUE
formula: sum over distinct scores, descending, of (R - previous R) P
note: among equal scores the positives are last, so that the last of them is at the place of the threshold';
COMMENT ON MACRO temp.balanced_accuracy IS 'duckmetrics
title: Mean of the recalls of both classes
call: balanced_accuracy(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [0, 1], higher is better
formula: (TPR + TNR) / 2
source: Brodersen et al., ICPR 2010, doi:10.1109/ICPR.2010.764';
COMMENT ON MACRO temp.base_entropy IS 'duckmetrics
title: Entropy of the base rate
call: base_entropy(label, score)
base_rate: default NULL
where_: default TRUE
range: [0, 1], neither is better
formula: -(c ln c + (1 - c) ln(1 - c)), c = share of the positives, or the base rate given
source: He et al., ADKDD 2014, doi:10.1145/2648584.2648589
note: the log loss of predicting the share of the positives for every row';
COMMENT ON MACRO temp.base_rate IS 'duckmetrics
title: Share of the positives
call: base_rate(label, score)
where_: default TRUE
range: [0, 1], neither is better
formula: P / (P + N)
source: Kohavi and Provost, Machine Learning 1998, doi:10.1023/A:1017181826899';
COMMENT ON MACRO temp.brier IS 'duckmetrics
title: Brier score, the mean squared error of a probability
call: brier(label, score)
where_: default TRUE
range: [0, 1], lower is better
formula: mean (p - y)^2
source: Brier, Monthly Weather Review 1950, doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2';
COMMENT ON MACRO temp.brier_skill IS 'duckmetrics
title: Brier score relative to that of predicting the base rate
call: brier_skill(label, score)
base_rate: default NULL
where_: default TRUE
range: (-inf, 1], higher is better
formula: 1 - Brier / mean (c - y)^2, c = base rate
source: Murphy, Journal of Applied Meteorology 1973, doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2';
COMMENT ON MACRO temp.calibration_ratio IS 'duckmetrics
title: Predicted over observed positives
call: calibration_ratio(label, score)
where_: default TRUE
range: [0, inf), closest to 1 is better
formula: sum p / sum y
source: Graepel et al., ICML 2010';
COMMENT ON MACRO temp.cohen_kappa IS 'duckmetrics
title: Cohen''s kappa, agreement beyond chance
call: cohen_kappa(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [-1, 1], higher is better
formula: (p_o - p_e) / (1 - p_e), p_e = ((TP+FP)(TP+FN) + (TN+FP)(TN+FN)) / n^2
source: Cohen, Educational and Psychological Measurement 1960, doi:10.1177/001316446002000104';
COMMENT ON MACRO temp.copc IS 'duckmetrics
title: Observed over predicted positives
call: copc(label, score)
where_: default TRUE
range: [0, inf), closest to 1 is better
formula: sum y / sum p
source: Graepel et al., ICML 2010';
COMMENT ON MACRO temp.ece IS 'duckmetrics
title: Expected calibration error
call: ece(label, score)
bins: default 10
where_: default TRUE
formula: sum over bins of equal width of |sum of p - y| / n';
COMMENT ON MACRO temp.f_beta IS 'duckmetrics
title: Weighted harmonic mean of precision and recall
call: f_beta(label, score, beta)
threshold: default 0.5e0
where_: default TRUE
range: [0, 1], higher is better
formula: (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP)
source: van Rijsbergen, Information Retrieval, 1979';
COMMENT ON MACRO temp.f_beta_score IS 'duckmetrics
title: Weighted harmonic mean of precision and recall
call: f_beta_score(label, score, beta)
threshold: default 0.5e0
where_: default TRUE
range: [0, 1], higher is better
formula: (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP)
source: van Rijsbergen, Information Retrieval, 1979';
COMMENT ON MACRO temp.fnr IS 'duckmetrics
title: False negative rate
call: fnr(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [0, 1], lower is better
formula: FN / (FN + TP)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO temp.fpr IS 'duckmetrics
title: False positive rate
call: fpr(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [0, 1], lower is better
formula: FP / (FP + TN)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO temp.gini IS 'duckmetrics
title: Gini coefficient of a score
call: gini(label, score)
where_: default TRUE
range: [-1, 1], higher is better
formula: 2 AUC - 1
source: Hand and Till, Machine Learning 2001, doi:10.1023/A:1010920819831';
COMMENT ON MACRO temp.log_loss IS 'duckmetrics
title: Logarithmic loss
call: log_loss(label, score)
eps: default 1e-15
where_: default TRUE
range: [0, inf), lower is better
formula: -mean(y ln p + (1 - y) ln(1 - p)), natural logarithm, p clipped to [eps, 1 - eps]
source: Good, Journal of the Royal Statistical Society B 1952, doi:10.1111/j.2517-6161.1952.tb00104.x
note: a note tells how many rows were clipped; eps=0 does not clip, and one wrong certainty makes the loss infinite';
COMMENT ON MACRO temp.mae IS 'duckmetrics
title: Mean absolute error of predicted numbers
call: mae(label, score)
where_: default TRUE
range: [0, inf), lower is better
formula: mean |s - y|
source: Willmott and Matsuura, Climate Research 2005, doi:10.3354/cr030079';
COMMENT ON MACRO temp.mcc IS 'duckmetrics
title: Matthews correlation coefficient
call: mcc(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [-1, 1], higher is better
formula: (TP TN - FP FN) / sqrt((TP + FP)(TP + FN)(TN + FP)(TN + FN))
source: Matthews, Biochimica et Biophysica Acta 1975, doi:10.1016/0005-2795(75)90109-9
note: NULL where scikit-learn says 0';
COMMENT ON MACRO temp.normalized_entropy IS 'duckmetrics
title: Log loss relative to that of predicting the base rate
call: normalized_entropy(label, score)
eps: default 1e-15
base_rate: default NULL
where_: default TRUE
range: [0, inf), lower is better
formula: log loss / entropy of the base rate
source: He et al., ADKDD 2014, doi:10.1145/2648584.2648589';
COMMENT ON MACRO temp.npv IS 'duckmetrics
title: Share of the predicted negatives that are negative
call: npv(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [0, 1], higher is better
formula: TN / (TN + FN)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO temp.precision_score IS 'duckmetrics
title: Share of the predicted positives that are positive
call: precision_score(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [0, 1], higher is better
formula: TP / (TP + FP)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO temp.recall IS 'duckmetrics
title: Share of the positives that are predicted positive
call: recall(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [0, 1], higher is better
formula: TP / (TP + FN)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO temp.recall_score IS 'duckmetrics
title: Share of the positives that are predicted positive
call: recall_score(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [0, 1], higher is better
formula: TP / (TP + FN)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO temp.rig IS 'duckmetrics
title: Relative information gain
call: rig(label, score)
eps: default 1e-15
base_rate: default NULL
where_: default TRUE
range: (-inf, 1], higher is better
formula: 1 - normalized entropy
source: Graepel et al., ICML 2010';
COMMENT ON MACRO temp.rmse IS 'duckmetrics
title: Root mean squared error of predicted numbers
call: rmse(label, score)
where_: default TRUE
range: [0, inf), lower is better
formula: sqrt(mean (s - y)^2)
source: Willmott and Matsuura, Climate Research 2005, doi:10.3354/cr030079';
COMMENT ON MACRO temp.specificity IS 'duckmetrics
title: Share of the negatives that are predicted negative
call: specificity(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [0, 1], higher is better
formula: TN / (TN + FP)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO temp.spiegelhalter_p IS 'duckmetrics
title: p-value of Spiegelhalter''s test of calibration, two-sided
call: spiegelhalter_p(label, score)
where_: default TRUE
range: [0, 1], neither is better
formula: 2 (1 - Phi(|z|))
source: Spiegelhalter, Statistics in Medicine 1986, doi:10.1002/sim.4780050506';
COMMENT ON MACRO temp.spiegelhalter_z IS 'duckmetrics
title: Spiegelhalter''s z of calibration
call: spiegelhalter_z(label, score)
where_: default TRUE
range: (-inf, inf), closest to 0 is better
formula: sum (y - p)(1 - 2p) / sqrt(sum (1 - 2p)^2 p (1 - p)), standard normal if calibrated
source: Spiegelhalter, Statistics in Medicine 1986, doi:10.1002/sim.4780050506';
COMMENT ON MACRO temp.roc_auc IS 'duckmetrics
title: Area under the ROC curve
call: roc_auc(label, score)
where_: default TRUE
formula: 1 - (sum of the places of the positives, first and last among equal scores - P (P + 1)) / (2 P N)
note: exact, in memory: a list for each group; table macro and Python take any size';
COMMENT ON MACRO temp.auroc IS 'duckmetrics
title: Area under the ROC curve
call: auroc(label, score)
where_: default TRUE
formula: 1 - (sum of the places of the positives, first and last among equal scores - P (P + 1)) / (2 P N)
note: exact, in memory: a list for each group; table macro and Python take any size';
COMMENT ON MACRO temp.ap IS 'duckmetrics
title: Average precision, the area under the precision-recall curve
call: ap(label, score)
where_: default TRUE
formula: sum over distinct scores, descending, of (R - previous R) P
note: among equal scores the positives are last, so that the last of them is at the place of the threshold';
COMMENT ON MACRO temp.pr_auc IS 'duckmetrics
title: Average precision, the area under the precision-recall curve
call: pr_auc(label, score)
where_: default TRUE
formula: sum over distinct scores, descending, of (R - previous R) P
note: among equal scores the positives are last, so that the last of them is at the place of the threshold';
COMMENT ON MACRO temp.prevalence IS 'duckmetrics
title: Share of the positives
call: prevalence(label, score)
where_: default TRUE
range: [0, 1], neither is better
formula: P / (P + N)
source: Kohavi and Provost, Machine Learning 1998, doi:10.1023/A:1017181826899';
COMMENT ON MACRO temp.ctr IS 'duckmetrics
title: Share of the positives
call: ctr(label, score)
where_: default TRUE
range: [0, 1], neither is better
formula: P / (P + N)
source: Kohavi and Provost, Machine Learning 1998, doi:10.1023/A:1017181826899';
COMMENT ON MACRO temp.brier_score IS 'duckmetrics
title: Brier score, the mean squared error of a probability
call: brier_score(label, score)
where_: default TRUE
range: [0, 1], lower is better
formula: mean (p - y)^2
source: Brier, Monthly Weather Review 1950, doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2';
COMMENT ON MACRO temp.pcoc IS 'duckmetrics
title: Predicted over observed positives
call: pcoc(label, score)
where_: default TRUE
range: [0, inf), closest to 1 is better
formula: sum p / sum y
source: Graepel et al., ICML 2010';
COMMENT ON MACRO temp.kappa IS 'duckmetrics
title: Cohen''s kappa, agreement beyond chance
call: kappa(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [-1, 1], higher is better
formula: (p_o - p_e) / (1 - p_e), p_e = ((TP+FP)(TP+FN) + (TN+FP)(TN+FN)) / n^2
source: Cohen, Educational and Psychological Measurement 1960, doi:10.1177/001316446002000104';
COMMENT ON MACRO temp.f1 IS 'duckmetrics
title: Weighted harmonic mean of precision and recall
call: f1(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [0, 1], higher is better
formula: (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP)
source: van Rijsbergen, Information Retrieval, 1979';
COMMENT ON MACRO temp.f1_score IS 'duckmetrics
title: Weighted harmonic mean of precision and recall
call: f1_score(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [0, 1], higher is better
formula: (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP)
source: van Rijsbergen, Information Retrieval, 1979';
COMMENT ON MACRO temp.accuracy_ratio IS 'duckmetrics
title: Gini coefficient of a score
call: accuracy_ratio(label, score)
where_: default TRUE
range: [-1, 1], higher is better
formula: 2 AUC - 1
source: Hand and Till, Machine Learning 2001, doi:10.1023/A:1010920819831';
COMMENT ON MACRO temp.logloss IS 'duckmetrics
title: Logarithmic loss
call: logloss(label, score)
eps: default 1e-15
where_: default TRUE
range: [0, inf), lower is better
formula: -mean(y ln p + (1 - y) ln(1 - p)), natural logarithm, p clipped to [eps, 1 - eps]
source: Good, Journal of the Royal Statistical Society B 1952, doi:10.1111/j.2517-6161.1952.tb00104.x
note: a note tells how many rows were clipped; eps=0 does not clip, and one wrong certainty makes the loss infinite';
COMMENT ON MACRO temp.cross_entropy IS 'duckmetrics
title: Logarithmic loss
call: cross_entropy(label, score)
eps: default 1e-15
where_: default TRUE
range: [0, inf), lower is better
formula: -mean(y ln p + (1 - y) ln(1 - p)), natural logarithm, p clipped to [eps, 1 - eps]
source: Good, Journal of the Royal Statistical Society B 1952, doi:10.1111/j.2517-6161.1952.tb00104.x
note: a note tells how many rows were clipped; eps=0 does not clip, and one wrong certainty makes the loss infinite';
COMMENT ON MACRO temp.phi IS 'duckmetrics
title: Matthews correlation coefficient
call: phi(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [-1, 1], higher is better
formula: (TP TN - FP FN) / sqrt((TP + FP)(TP + FN)(TN + FP)(TN + FN))
source: Matthews, Biochimica et Biophysica Acta 1975, doi:10.1016/0005-2795(75)90109-9
note: NULL where scikit-learn says 0';
COMMENT ON MACRO temp.ne IS 'duckmetrics
title: Log loss relative to that of predicting the base rate
call: ne(label, score)
eps: default 1e-15
base_rate: default NULL
where_: default TRUE
range: [0, inf), lower is better
formula: log loss / entropy of the base rate
source: He et al., ADKDD 2014, doi:10.1145/2648584.2648589';
COMMENT ON MACRO temp.ppv IS 'duckmetrics
title: Share of the predicted positives that are positive
call: ppv(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [0, 1], higher is better
formula: TP / (TP + FP)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO temp.tpr IS 'duckmetrics
title: Share of the positives that are predicted positive
call: tpr(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [0, 1], higher is better
formula: TP / (TP + FN)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO temp.sensitivity IS 'duckmetrics
title: Share of the positives that are predicted positive
call: sensitivity(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [0, 1], higher is better
formula: TP / (TP + FN)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO temp.tnr IS 'duckmetrics
title: Share of the negatives that are predicted negative
call: tnr(label, score)
threshold: default 0.5e0
where_: default TRUE
range: [0, 1], higher is better
formula: TN / (TN + FP)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO temp.dcg IS 'duckmetrics
title: Discounted cumulative gain of items with a rank, as an aggregate
call: dcg(rel, rank)
k: default NULL
where_: default TRUE
formula: sum over ranks i <= k of rel_i / log2(i + 1)';
COMMENT ON MACRO temp.ndcg IS 'duckmetrics
title: Normalized discounted cumulative gain by descending score, as an aggregate
call: ndcg(rel, score)
k: default NULL
where_: default TRUE
formula: DCG@k / IDCG@k with rel_i / log2(i + 1); among equal scores the largest grades are last';
COMMENT ON MACRO temp.reciprocal_rank IS 'duckmetrics
title: Reciprocal rank of the first positive by descending score, as an aggregate
call: reciprocal_rank(label, score)
where_: default TRUE
formula: 1 / place of the first positive; among equal scores the positives are last';
COMMENT ON MACRO TABLE temp.evaluate_by_query IS 'duckmetrics
title: Values of several metrics for every query
call: FROM evaluate_by_query(predictions, truth, metrics)
norm: default NULL; or ''relevant'', ''min_k'', ''hits'', ''k'', ''returned''
duplicates: default ''error''; or ''first'', ''count''
missing: default NULL; or ''zero'', ''skip'', ''error'', ''undefined''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input'', ''expected''
unjudged: default ''nonrelevant''; or ''skip''
gain: default ''linear''; or ''exp2'', ''binary''
discount: default ''log2''; or ''log2_clip'', ''reciprocal''
max_grade: default 4.0e0
beta: default NULL
ideal: default ''judged''; or ''returned'', ''full_k''
recall: default NULL
rounding: default ''up''; or ''nearest''
p: default 0.8e0
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL';
COMMENT ON MACRO TABLE temp.evaluate IS 'duckmetrics
title: Several metrics of one ranking, from one scan
call: FROM evaluate(predictions, truth, metrics)
norm: default NULL; or ''relevant'', ''min_k'', ''hits'', ''k'', ''returned''
duplicates: default ''error''; or ''first'', ''count''
missing: default NULL; or ''zero'', ''skip'', ''error'', ''undefined''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input'', ''expected''
unjudged: default ''nonrelevant''; or ''skip''
gain: default ''linear''; or ''exp2'', ''binary''
discount: default ''log2''; or ''log2_clip'', ''reciprocal''
max_grade: default 4.0e0
beta: default NULL
ideal: default ''judged''; or ''returned'', ''full_k''
recall: default NULL
rounding: default ''up''; or ''nearest''
p: default 0.8e0
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL';
COMMENT ON MACRO TABLE temp.average_precision IS 'duckmetrics
title: Average precision
call: FROM average_precision(predictions, truth)
k: default NULL
norm: default ''relevant''; or ''min_k'', ''hits'', ''k''
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: sum over hits of precision at the rank of the hit, / m; norm: min(m, k), hits in the top k, or k
source: Buckley and Voorhees, SIGIR 2000, doi:10.1145/345508.345543';
COMMENT ON MACRO TABLE temp.ap IS 'duckmetrics
title: Average precision
call: FROM ap(predictions, truth)
k: default NULL
norm: default ''relevant''; or ''min_k'', ''hits'', ''k''
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: sum over hits of precision at the rank of the hit, / m; norm: min(m, k), hits in the top k, or k
source: Buckley and Voorhees, SIGIR 2000, doi:10.1145/345508.345543';
COMMENT ON MACRO TABLE temp.map_at IS 'duckmetrics
title: Average precision
call: FROM map_at(predictions, truth)
k: default NULL
norm: default ''relevant''; or ''min_k'', ''hits'', ''k''
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: sum over hits of precision at the rank of the hit, / m; norm: min(m, k), hits in the top k, or k
source: Buckley and Voorhees, SIGIR 2000, doi:10.1145/345508.345543';
COMMENT ON MACRO TABLE temp.bpref IS 'duckmetrics
title: Binary preference
call: FROM bpref(predictions, truth)
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: 1/m * sum over hits of 1 - min(judged nonrelevant items above, m) / min(m, all judged nonrelevant items)
source: Buckley and Voorhees, SIGIR 2004, doi:10.1145/1008992.1009000; trec_eval m_bpref.c
note: unjudged items are passed over';
COMMENT ON MACRO TABLE temp.cg IS 'duckmetrics
title: Cumulative gain
call: FROM cg(predictions, truth)
k: default NULL
gain: default ''linear''; or ''exp2'', ''binary''
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input'', ''expected''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, inf), higher is better
formula: sum over ranks i <= k of gain(rel_i); gain: rel, 2^rel - 1, or 1 if relevant
source: Järvelin and Kekäläinen, TOIS 2002, doi:10.1145/582415.582418';
COMMENT ON MACRO TABLE temp.dcg IS 'duckmetrics
title: Discounted cumulative gain
call: FROM dcg(predictions, truth)
k: default NULL
gain: default ''linear''; or ''exp2'', ''binary''
discount: default ''log2''; or ''log2_clip'', ''reciprocal''
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input'', ''expected''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, inf), higher is better
formula: sum over ranks i <= k of gain(rel_i) * discount(i); discount: 1 / log2(i + 1), 1 / max(1, log2 i), or 1 / i
source: Järvelin and Kekäläinen, TOIS 2002, doi:10.1145/582415.582418';
COMMENT ON MACRO TABLE temp.err IS 'duckmetrics
title: Expected reciprocal rank
call: FROM err(predictions, truth)
max_grade: default 4.0e0
k: default NULL
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: sum over ranks i <= k of 1/i * R_i * product over j < i of (1 - R_j), R = (2^grade - 1) / 2^max_grade
source: Chapelle, Metzler, Zhang and Grinspan, CIKM 2009, doi:10.1145/1645953.1646033';
COMMENT ON MACRO TABLE temp.f_beta IS 'duckmetrics
title: Weighted harmonic mean of precision and recall, per query
call: FROM f_beta(predictions, truth, beta)
k: default NULL
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: (1 + beta^2) * P * R / (beta^2 * P + R); 0 without a hit
source: van Rijsbergen, Information Retrieval, 1979';
COMMENT ON MACRO TABLE temp.first_rank IS 'duckmetrics
title: Rank of the first relevant item
call: FROM first_rank(predictions, truth)
k: default NULL
duplicates: default ''error''; or ''first'', ''count''
missing: default ''undefined''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [1, inf), lower is better
formula: min rank over relevant items; undefined when none is returned (within k)
source: Voorhees, TREC-8 1999
note: queries without a value are counted in n_undefined; a missing query never becomes rank 0';
COMMENT ON MACRO TABLE temp.hit_rate IS 'duckmetrics
title: Share of queries with a relevant item
call: FROM hit_rate(predictions, truth)
k: default NULL
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: 1 if h >= 1, else 0
source: Deshpande and Karypis, TOIS 2004, doi:10.1145/963770.963776';
COMMENT ON MACRO TABLE temp.hr IS 'duckmetrics
title: Share of queries with a relevant item
call: FROM hr(predictions, truth)
k: default NULL
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: 1 if h >= 1, else 0
source: Deshpande and Karypis, TOIS 2004, doi:10.1145/963770.963776';
COMMENT ON MACRO TABLE temp.success IS 'duckmetrics
title: Share of queries with a relevant item
call: FROM success(predictions, truth)
k: default NULL
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: 1 if h >= 1, else 0
source: Deshpande and Karypis, TOIS 2004, doi:10.1145/963770.963776';
COMMENT ON MACRO TABLE temp.hits IS 'duckmetrics
title: Number of relevant items returned
call: FROM hits(predictions, truth)
k: default NULL
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, inf), higher is better
formula: h, the relevant items at ranks <= k
source: trec_eval num_rel_ret';
COMMENT ON MACRO TABLE temp.idcg IS 'duckmetrics
title: Ideal discounted cumulative gain
call: FROM idcg(predictions, truth)
k: default NULL
gain: default ''linear''; or ''exp2'', ''binary''
discount: default ''log2''; or ''log2_clip'', ''reciprocal''
ideal: default ''judged''; or ''returned'', ''full_k''
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, inf), higher is better
formula: DCG@k of the best order: of all judged items, of the returned ones, or of k slots with the largest gain
source: Järvelin and Kekäläinen, TOIS 2002, doi:10.1145/582415.582418';
COMMENT ON MACRO TABLE temp.infap IS 'duckmetrics
title: Inferred average precision
call: FROM infap(predictions, truth)
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: 1/m * sum over hits at rank i of 1/i + (j/i) * (r + e) / (r + s + 2e), where r relevant and s judged nonrelevant items lie above, j = r + s, e = 0.00001
source: Yilmaz and Aslam, CIKM 2006, doi:10.1145/1183614.1183633; trec_eval m_infap.c
note: every judgment counts as pooled and judged';
COMMENT ON MACRO TABLE temp.iprec IS 'duckmetrics
title: Interpolated precision at a recall level
call: FROM iprec(predictions, truth, recall)
rounding: default ''up''; or ''nearest''
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: max precision at any hit from the needed one on; needed = floor(recall * m + 0.9), nearest: + 0.5
source: trec_eval m_iprec_at_recall.c: 9.0 rounds up, 10.0 to the nearest';
COMMENT ON MACRO TABLE temp.iprec_at_recall IS 'duckmetrics
title: Interpolated precision at a recall level
call: FROM iprec_at_recall(predictions, truth, recall)
rounding: default ''up''; or ''nearest''
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: max precision at any hit from the needed one on; needed = floor(recall * m + 0.9), nearest: + 0.5
source: trec_eval m_iprec_at_recall.c: 9.0 rounds up, 10.0 to the nearest';
COMMENT ON MACRO TABLE temp.judged IS 'duckmetrics
title: Share of returned items that are judged
call: FROM judged(predictions, truth)
k: default NULL
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: judged items at ranks <= k / min(k, n)
source: MacAvaney, Macdonald and Ounis, ECIR 2022, doi:10.1007/978-3-030-99739-7_38
note: a query without relevant items keeps its value';
COMMENT ON MACRO TABLE temp.ndcg IS 'duckmetrics
title: Normalized discounted cumulative gain
call: FROM ndcg(predictions, truth)
k: default NULL
gain: default ''linear''; or ''exp2'', ''binary''
discount: default ''log2''; or ''log2_clip'', ''reciprocal''
ideal: default ''judged''; or ''returned'', ''full_k''
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input'', ''expected''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: DCG@k / IDCG@k, DCG@k = sum over ranks i <= k of gain(rel_i) / log2(i + 1)
source: Järvelin and Kekäläinen, TOIS 2002, doi:10.1145/582415.582418';
COMMENT ON MACRO TABLE temp.precision_at IS 'duckmetrics
title: Precision
call: FROM precision_at(predictions, truth)
k: default NULL
norm: default ''k''; or ''returned''
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: h / k; norm=returned: h / min(k, n); without a cut-off h / n
source: Cleverdon, Aslib Proceedings 1967';
COMMENT ON MACRO TABLE temp.query_auc IS 'duckmetrics
title: Area under the ROC curve over the items returned for a query
call: FROM query_auc(predictions, truth)
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: share of (relevant, nonrelevant) pairs in the right order, ties 1/2, by the sum of average ranks
source: Mann and Whitney, Annals of Mathematical Statistics 1947, doi:10.1214/aoms/1177730491
note: relevant items that are not returned are left out; undefined when only one class is returned';
COMMENT ON MACRO TABLE temp.r_precision IS 'duckmetrics
title: Precision at rank m, the number of relevant items
call: FROM r_precision(predictions, truth)
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: hits in the top m / m
source: Buckley and Voorhees, TREC: Experiment and Evaluation, 2005';
COMMENT ON MACRO TABLE temp.rprec IS 'duckmetrics
title: Precision at rank m, the number of relevant items
call: FROM rprec(predictions, truth)
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: hits in the top m / m
source: Buckley and Voorhees, TREC: Experiment and Evaluation, 2005';
COMMENT ON MACRO TABLE temp.rbp IS 'duckmetrics
title: Rank-biased precision
call: FROM rbp(predictions, truth)
p: default 0.8e0
k: default NULL
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: (1 - p) * sum over relevant items at ranks i <= k of p^(i - 1)
source: Moffat and Zobel, TOIS 2008, doi:10.1145/1416950.1416952';
COMMENT ON MACRO TABLE temp.recall IS 'duckmetrics
title: Recall
call: FROM recall(predictions, truth)
k: default NULL
norm: default ''relevant''; or ''min_k''
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: h / m; norm=min_k: h / min(m, k)
source: Cleverdon, Aslib Proceedings 1967';
COMMENT ON MACRO TABLE temp.reciprocal_rank IS 'duckmetrics
title: Reciprocal rank of the first relevant item
call: FROM reciprocal_rank(predictions, truth)
k: default NULL
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: 1 / rank of the first relevant item; 0 when it is not returned or lies beyond k
source: Voorhees, TREC-8 1999';
COMMENT ON MACRO TABLE temp.rr IS 'duckmetrics
title: Reciprocal rank of the first relevant item
call: FROM rr(predictions, truth)
k: default NULL
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: 1 / rank of the first relevant item; 0 when it is not returned or lies beyond k
source: Voorhees, TREC-8 1999';
COMMENT ON MACRO TABLE temp.mrr IS 'duckmetrics
title: Reciprocal rank of the first relevant item
call: FROM mrr(predictions, truth)
k: default NULL
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: 1 / rank of the first relevant item; 0 when it is not returned or lies beyond k
source: Voorhees, TREC-8 1999';
COMMENT ON MACRO TABLE temp.gmap IS 'duckmetrics
title: Average precision
call: FROM gmap(predictions, truth)
k: default NULL
norm: default ''relevant''; or ''min_k'', ''hits'', ''k''
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''gmean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: sum over hits of precision at the rank of the hit, / m; norm: min(m, k), hits in the top k, or k
source: Buckley and Voorhees, SIGIR 2000, doi:10.1145/345508.345543';
COMMENT ON MACRO TABLE temp.f1 IS 'duckmetrics
title: Weighted harmonic mean of precision and recall, per query
call: FROM f1(predictions, truth)
k: default NULL
duplicates: default ''error''; or ''first'', ''count''
missing: default ''zero''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
no_relevant: default ''null''; or ''zero'', ''one''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [0, 1], higher is better
formula: (1 + beta^2) * P * R / (beta^2 * P + R); 0 without a hit
source: van Rijsbergen, Information Retrieval, 1979';
COMMENT ON MACRO TABLE temp.mean_rank IS 'duckmetrics
title: Rank of the first relevant item
call: FROM mean_rank(predictions, truth)
k: default NULL
duplicates: default ''error''; or ''first'', ''count''
missing: default ''undefined''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''mean''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [1, inf), lower is better
formula: min rank over relevant items; undefined when none is returned (within k)
source: Voorhees, TREC-8 1999
note: queries without a value are counted in n_undefined; a missing query never becomes rank 0';
COMMENT ON MACRO TABLE temp.median_rank IS 'duckmetrics
title: Rank of the first relevant item
call: FROM median_rank(predictions, truth)
k: default NULL
duplicates: default ''error''; or ''first'', ''count''
missing: default ''undefined''; or ''skip'', ''error''
negative_grade: default ''error''; or ''zero''
null_relevance: default ''error''; or ''zero''
population: default ''truth''; or ''predictions'', ''both''
rel: default NULL
scores: default ''double''; or ''float32''
ties: default ''item_asc''; or ''item_desc'', ''item_desc_text'', ''pessimistic'', ''optimistic'', ''input''
unjudged: default ''nonrelevant''; or ''skip''
agg: default ''median''
query_id: default ''query_id''
item_id: default ''item_id''
score: default NULL
rank: default NULL
position: default NULL
relevance: default NULL
range: [1, inf), lower is better
formula: min rank over relevant items; undefined when none is returned (within k)
source: Voorhees, TREC-8 1999
note: queries without a value are counted in n_undefined; a missing query never becomes rank 0';
COMMENT ON MACRO TABLE temp.evaluate_classification IS 'duckmetrics
title: Several metrics of the same rows
call: FROM evaluate_classification(data, label, score, metrics)
call: FROM evaluate_classification(data, label, score, metrics, weight)
group_id: default NULL
per: default NULL
threshold: default 0.5e0
bins: default 10
binning: default ''width''; or ''mass''
approx: default NULL
interpolation: default ''step''; or ''trapezoid''
base_rate: default NULL
eps: default 1e-15
beta: default NULL
average: default ''impressions''; or ''positives'', ''pairs'', ''uniform''
top: default NULL
max_fpr: default NULL
norm: default ''mcclish''; or ''raw'', ''max_fpr''
recall: default NULL
precision: default NULL
fpr: default NULL
plan: default ''grouped''';
COMMENT ON MACRO TABLE temp.accuracy IS 'duckmetrics
title: Share of the rows that are classified right
call: FROM accuracy(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [0, 1], higher is better
formula: (TP + TN) / (TP + FP + FN + TN)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO TABLE temp.ace IS 'duckmetrics
title: Average calibration error over the bins
call: FROM ace(data, label, score)
per: default NULL
bins: default 10
binning: default ''width''; or ''mass''
weight: default NULL
range: [0, 1], lower is better
formula: mean over bins that hold a row of |mean p - mean y|
source: Neumann, Zisserman and Vedaldi, NeurIPS workshop 2018';
COMMENT ON MACRO TABLE temp.auc IS 'duckmetrics
title: Area under the ROC curve
call: FROM auc(data, label, score)
call: FROM auc(data, label, score, weight)
per: default NULL
approx: default NULL
plan: default ''grouped''
range: [0, 1], higher is better
formula: (sum of the ranks of the positives - P (P + 1) / 2) / (P N), tied scores share their average rank
source: Mann and Whitney, Annals of Mathematical Statistics 1947, doi:10.1214/aoms/1177730491
note: exact unless approx=B is set: then the scores are put into B bins of equal width, and the exact value lies between lower and upper';
COMMENT ON MACRO TABLE temp.roc_auc IS 'duckmetrics
title: Area under the ROC curve
call: FROM roc_auc(data, label, score)
call: FROM roc_auc(data, label, score, weight)
per: default NULL
approx: default NULL
plan: default ''grouped''
range: [0, 1], higher is better
formula: (sum of the ranks of the positives - P (P + 1) / 2) / (P N), tied scores share their average rank
source: Mann and Whitney, Annals of Mathematical Statistics 1947, doi:10.1214/aoms/1177730491
note: exact unless approx=B is set: then the scores are put into B bins of equal width, and the exact value lies between lower and upper';
COMMENT ON MACRO TABLE temp.auroc IS 'duckmetrics
title: Area under the ROC curve
call: FROM auroc(data, label, score)
call: FROM auroc(data, label, score, weight)
per: default NULL
approx: default NULL
plan: default ''grouped''
range: [0, 1], higher is better
formula: (sum of the ranks of the positives - P (P + 1) / 2) / (P N), tied scores share their average rank
source: Mann and Whitney, Annals of Mathematical Statistics 1947, doi:10.1214/aoms/1177730491
note: exact unless approx=B is set: then the scores are put into B bins of equal width, and the exact value lies between lower and upper';
COMMENT ON MACRO TABLE temp.auc_pairwise IS 'duckmetrics
title: Area under the ROC curve by its definition, pair by pair
call: FROM auc_pairwise(data, label, score)
per: default NULL
weight: default NULL
range: [0, 1], higher is better
formula: share of the pairs of a positive and a negative in which the positive has the higher score, ties 1/2
source: Hanley and McNeil, Radiology 1982, doi:10.1148/radiology.143.1.7063747
note: looks at every pair, P N of them: to teach and to check, for small data';
COMMENT ON MACRO TABLE temp.average_precision_score IS 'duckmetrics
title: Average precision, the area under the precision-recall curve
call: FROM average_precision_score(data, label, score)
per: default NULL
interpolation: default ''step''; or ''trapezoid''
weight: default NULL
range: [0, 1], higher is better
formula: sum over distinct scores, descending, of (R - previous R) P; trapezoid: the mean of P and the previous P, which is 1 at first
source: Davis and Goadrich, ICML 2006, doi:10.1145/1143844.1143874
note: scores that are all equal give the share of positives; the trapezoid is optimistic and another number';
COMMENT ON MACRO TABLE temp.pr_auc IS 'duckmetrics
title: Average precision, the area under the precision-recall curve
call: FROM pr_auc(data, label, score)
per: default NULL
interpolation: default ''step''; or ''trapezoid''
weight: default NULL
range: [0, 1], higher is better
formula: sum over distinct scores, descending, of (R - previous R) P; trapezoid: the mean of P and the previous P, which is 1 at first
source: Davis and Goadrich, ICML 2006, doi:10.1145/1143844.1143874
note: scores that are all equal give the share of positives; the trapezoid is optimistic and another number';
COMMENT ON MACRO TABLE temp.balanced_accuracy IS 'duckmetrics
title: Mean of the recalls of both classes
call: FROM balanced_accuracy(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [0, 1], higher is better
formula: (TPR + TNR) / 2
source: Brodersen et al., ICPR 2010, doi:10.1109/ICPR.2010.764';
COMMENT ON MACRO TABLE temp.base_entropy IS 'duckmetrics
title: Entropy of the base rate
call: FROM base_entropy(data, label, score)
per: default NULL
base_rate: default NULL
weight: default NULL
range: [0, 1], neither is better
formula: -(c ln c + (1 - c) ln(1 - c)), c = share of the positives, or the base rate given
source: He et al., ADKDD 2014, doi:10.1145/2648584.2648589
note: the log loss of predicting the share of the positives for every row';
COMMENT ON MACRO TABLE temp.base_rate IS 'duckmetrics
title: Share of the positives
call: FROM base_rate(data, label, score)
per: default NULL
weight: default NULL
range: [0, 1], neither is better
formula: P / (P + N)
source: Kohavi and Provost, Machine Learning 1998, doi:10.1023/A:1017181826899';
COMMENT ON MACRO TABLE temp.prevalence IS 'duckmetrics
title: Share of the positives
call: FROM prevalence(data, label, score)
per: default NULL
weight: default NULL
range: [0, 1], neither is better
formula: P / (P + N)
source: Kohavi and Provost, Machine Learning 1998, doi:10.1023/A:1017181826899';
COMMENT ON MACRO TABLE temp.ctr IS 'duckmetrics
title: Share of the positives
call: FROM ctr(data, label, score)
per: default NULL
weight: default NULL
range: [0, 1], neither is better
formula: P / (P + N)
source: Kohavi and Provost, Machine Learning 1998, doi:10.1023/A:1017181826899';
COMMENT ON MACRO TABLE temp.brier IS 'duckmetrics
title: Brier score, the mean squared error of a probability
call: FROM brier(data, label, score)
per: default NULL
weight: default NULL
range: [0, 1], lower is better
formula: mean (p - y)^2
source: Brier, Monthly Weather Review 1950, doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2';
COMMENT ON MACRO TABLE temp.brier_score IS 'duckmetrics
title: Brier score, the mean squared error of a probability
call: FROM brier_score(data, label, score)
per: default NULL
weight: default NULL
range: [0, 1], lower is better
formula: mean (p - y)^2
source: Brier, Monthly Weather Review 1950, doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2';
COMMENT ON MACRO TABLE temp.brier_skill IS 'duckmetrics
title: Brier score relative to that of predicting the base rate
call: FROM brier_skill(data, label, score)
per: default NULL
base_rate: default NULL
weight: default NULL
range: (-inf, 1], higher is better
formula: 1 - Brier / mean (c - y)^2, c = base rate
source: Murphy, Journal of Applied Meteorology 1973, doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2';
COMMENT ON MACRO TABLE temp.calibration_intercept IS 'duckmetrics
title: Intercept of the calibration line
call: FROM calibration_intercept(data, label, score)
per: default NULL
eps: default 1e-15
weight: default NULL
range: (-inf, inf), closest to 0 is better
formula: logit P(y = 1) = intercept + slope * logit p, by maximum likelihood
source: Cox, Biometrika 1958, doi:10.1093/biomet/45.3-4.562
note: a recursive query, which not every engine has';
COMMENT ON MACRO TABLE temp.calibration_ratio IS 'duckmetrics
title: Predicted over observed positives
call: FROM calibration_ratio(data, label, score)
per: default NULL
weight: default NULL
range: [0, inf), closest to 1 is better
formula: sum p / sum y
source: Graepel et al., ICML 2010';
COMMENT ON MACRO TABLE temp.pcoc IS 'duckmetrics
title: Predicted over observed positives
call: FROM pcoc(data, label, score)
per: default NULL
weight: default NULL
range: [0, inf), closest to 1 is better
formula: sum p / sum y
source: Graepel et al., ICML 2010';
COMMENT ON MACRO TABLE temp.calibration_slope IS 'duckmetrics
title: Slope of the calibration line
call: FROM calibration_slope(data, label, score)
per: default NULL
eps: default 1e-15
weight: default NULL
range: (-inf, inf), closest to 1 is better
formula: logit P(y = 1) = intercept + slope * logit p, by maximum likelihood
source: Cox, Biometrika 1958, doi:10.1093/biomet/45.3-4.562
note: a recursive query, which not every engine has';
COMMENT ON MACRO TABLE temp.cohen_kappa IS 'duckmetrics
title: Cohen''s kappa, agreement beyond chance
call: FROM cohen_kappa(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [-1, 1], higher is better
formula: (p_o - p_e) / (1 - p_e), p_e = ((TP+FP)(TP+FN) + (TN+FP)(TN+FN)) / n^2
source: Cohen, Educational and Psychological Measurement 1960, doi:10.1177/001316446002000104';
COMMENT ON MACRO TABLE temp.kappa IS 'duckmetrics
title: Cohen''s kappa, agreement beyond chance
call: FROM kappa(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [-1, 1], higher is better
formula: (p_o - p_e) / (1 - p_e), p_e = ((TP+FP)(TP+FN) + (TN+FP)(TN+FN)) / n^2
source: Cohen, Educational and Psychological Measurement 1960, doi:10.1177/001316446002000104';
COMMENT ON MACRO TABLE temp.copc IS 'duckmetrics
title: Observed over predicted positives
call: FROM copc(data, label, score)
per: default NULL
weight: default NULL
range: [0, inf), closest to 1 is better
formula: sum y / sum p
source: Graepel et al., ICML 2010';
COMMENT ON MACRO TABLE temp.ece IS 'duckmetrics
title: Expected calibration error
call: FROM ece(data, label, score)
per: default NULL
bins: default 10
binning: default ''width''; or ''mass''
weight: default NULL
range: [0, 1], lower is better
formula: sum over bins of n_b |mean p - mean y| / n
source: Naeini, Cooper and Hauskrecht, AAAI 2015';
COMMENT ON MACRO TABLE temp.f_beta_score IS 'duckmetrics
title: Weighted harmonic mean of precision and recall
call: FROM f_beta_score(data, label, score, beta)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [0, 1], higher is better
formula: (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP)
source: van Rijsbergen, Information Retrieval, 1979';
COMMENT ON MACRO TABLE temp.fnr IS 'duckmetrics
title: False negative rate
call: FROM fnr(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [0, 1], lower is better
formula: FN / (FN + TP)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO TABLE temp.fpr IS 'duckmetrics
title: False positive rate
call: FROM fpr(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [0, 1], lower is better
formula: FP / (FP + TN)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO TABLE temp.gauc IS 'duckmetrics
title: AUC within each group, averaged over the groups
call: FROM gauc(data, label, score, group_id)
call: FROM gauc(data, label, score, group_id, weight)
per: default NULL
average: default ''impressions''; or ''positives'', ''pairs'', ''uniform''
plan: default ''grouped''
range: [0, 1], higher is better
formula: sum of w_g AUC_g / sum of w_g; w_g = rows, positives or pairs of the group, or 1
source: Zhou et al., KDD 2018, doi:10.1145/3219819.3219823
note: groups of one class have no AUC; they are left out and counted in n_undefined';
COMMENT ON MACRO TABLE temp.gini IS 'duckmetrics
title: Gini coefficient of a score
call: FROM gini(data, label, score)
call: FROM gini(data, label, score, weight)
per: default NULL
plan: default ''grouped''
range: [-1, 1], higher is better
formula: 2 AUC - 1
source: Hand and Till, Machine Learning 2001, doi:10.1023/A:1010920819831';
COMMENT ON MACRO TABLE temp.accuracy_ratio IS 'duckmetrics
title: Gini coefficient of a score
call: FROM accuracy_ratio(data, label, score)
call: FROM accuracy_ratio(data, label, score, weight)
per: default NULL
plan: default ''grouped''
range: [-1, 1], higher is better
formula: 2 AUC - 1
source: Hand and Till, Machine Learning 2001, doi:10.1023/A:1010920819831';
COMMENT ON MACRO TABLE temp.hosmer_lemeshow IS 'duckmetrics
title: Hosmer-Lemeshow statistic of calibration
call: FROM hosmer_lemeshow(data, label, score)
per: default NULL
bins: default 10
range: [0, inf), lower is better
formula: sum over bins of (O - E)^2 / (E (1 - E / n)), chi-square with bins - 2 degrees of freedom if calibrated
source: Hosmer and Lemeshow, Communications in Statistics 1980, doi:10.1080/03610928008827941';
COMMENT ON MACRO TABLE temp.ks IS 'duckmetrics
title: Kolmogorov-Smirnov distance of the scores of both classes
call: FROM ks(data, label, score)
per: default NULL
weight: default NULL
range: [0, 1], higher is better
formula: max over thresholds of |TPR - FPR|
source: Kolmogorov 1933; Smirnov 1948, doi:10.1214/aoms/1177730256';
COMMENT ON MACRO TABLE temp.lift IS 'duckmetrics
title: Lift of the top share of the rows
call: FROM lift(data, label, score, top)
per: default NULL
weight: default NULL
range: [0, inf), higher is better
formula: share of the positives among the top rows / top; rows at the cut count in proportion
source: Berry and Linoff, Data Mining Techniques, 2004';
COMMENT ON MACRO TABLE temp.log_loss IS 'duckmetrics
title: Logarithmic loss
call: FROM log_loss(data, label, score)
per: default NULL
eps: default 1e-15
weight: default NULL
range: [0, inf), lower is better
formula: -mean(y ln p + (1 - y) ln(1 - p)), natural logarithm, p clipped to [eps, 1 - eps]
source: Good, Journal of the Royal Statistical Society B 1952, doi:10.1111/j.2517-6161.1952.tb00104.x
note: a note tells how many rows were clipped; eps=0 does not clip, and one wrong certainty makes the loss infinite';
COMMENT ON MACRO TABLE temp.logloss IS 'duckmetrics
title: Logarithmic loss
call: FROM logloss(data, label, score)
per: default NULL
eps: default 1e-15
weight: default NULL
range: [0, inf), lower is better
formula: -mean(y ln p + (1 - y) ln(1 - p)), natural logarithm, p clipped to [eps, 1 - eps]
source: Good, Journal of the Royal Statistical Society B 1952, doi:10.1111/j.2517-6161.1952.tb00104.x
note: a note tells how many rows were clipped; eps=0 does not clip, and one wrong certainty makes the loss infinite';
COMMENT ON MACRO TABLE temp.cross_entropy IS 'duckmetrics
title: Logarithmic loss
call: FROM cross_entropy(data, label, score)
per: default NULL
eps: default 1e-15
weight: default NULL
range: [0, inf), lower is better
formula: -mean(y ln p + (1 - y) ln(1 - p)), natural logarithm, p clipped to [eps, 1 - eps]
source: Good, Journal of the Royal Statistical Society B 1952, doi:10.1111/j.2517-6161.1952.tb00104.x
note: a note tells how many rows were clipped; eps=0 does not clip, and one wrong certainty makes the loss infinite';
COMMENT ON MACRO TABLE temp.mae IS 'duckmetrics
title: Mean absolute error of predicted numbers
call: FROM mae(data, label, score)
per: default NULL
weight: default NULL
range: [0, inf), lower is better
formula: mean |s - y|
source: Willmott and Matsuura, Climate Research 2005, doi:10.3354/cr030079';
COMMENT ON MACRO TABLE temp.max_f1 IS 'duckmetrics
title: Largest F1 over all thresholds
call: FROM max_f1(data, label, score)
per: default NULL
weight: default NULL
range: [0, 1], higher is better
formula: max over thresholds of 2 TP / (TP + FP + P)
source: Lipton, Elkan and Naryanaswamy, ECML PKDD 2014, doi:10.1007/978-3-662-44851-9_15';
COMMENT ON MACRO TABLE temp.mcc IS 'duckmetrics
title: Matthews correlation coefficient
call: FROM mcc(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [-1, 1], higher is better
formula: (TP TN - FP FN) / sqrt((TP + FP)(TP + FN)(TN + FP)(TN + FN))
source: Matthews, Biochimica et Biophysica Acta 1975, doi:10.1016/0005-2795(75)90109-9
note: NULL where scikit-learn says 0';
COMMENT ON MACRO TABLE temp.phi IS 'duckmetrics
title: Matthews correlation coefficient
call: FROM phi(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [-1, 1], higher is better
formula: (TP TN - FP FN) / sqrt((TP + FP)(TP + FN)(TN + FP)(TN + FN))
source: Matthews, Biochimica et Biophysica Acta 1975, doi:10.1016/0005-2795(75)90109-9
note: NULL where scikit-learn says 0';
COMMENT ON MACRO TABLE temp.mce IS 'duckmetrics
title: Maximum calibration error
call: FROM mce(data, label, score)
per: default NULL
bins: default 10
binning: default ''width''; or ''mass''
weight: default NULL
range: [0, 1], lower is better
formula: the largest |mean p - mean y| of a bin
source: Naeini, Cooper and Hauskrecht, AAAI 2015';
COMMENT ON MACRO TABLE temp.normalized_entropy IS 'duckmetrics
title: Log loss relative to that of predicting the base rate
call: FROM normalized_entropy(data, label, score)
per: default NULL
eps: default 1e-15
base_rate: default NULL
weight: default NULL
range: [0, inf), lower is better
formula: log loss / entropy of the base rate
source: He et al., ADKDD 2014, doi:10.1145/2648584.2648589';
COMMENT ON MACRO TABLE temp.ne IS 'duckmetrics
title: Log loss relative to that of predicting the base rate
call: FROM ne(data, label, score)
per: default NULL
eps: default 1e-15
base_rate: default NULL
weight: default NULL
range: [0, inf), lower is better
formula: log loss / entropy of the base rate
source: He et al., ADKDD 2014, doi:10.1145/2648584.2648589';
COMMENT ON MACRO TABLE temp.npv IS 'duckmetrics
title: Share of the predicted negatives that are negative
call: FROM npv(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [0, 1], higher is better
formula: TN / (TN + FN)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO TABLE temp.partial_auc IS 'duckmetrics
title: Area under the ROC curve where false positives are rare
call: FROM partial_auc(data, label, score, max_fpr)
per: default NULL
norm: default ''mcclish''; or ''raw'', ''max_fpr''
weight: default NULL
range: [0, 1], higher is better
formula: area for FPR <= max_fpr, straight between distinct scores; mcclish: scaled so that chance is 1/2 and perfect is 1
source: McClish, Medical Decision Making 1989, doi:10.1177/0272989X8900900307';
COMMENT ON MACRO TABLE temp.precision_score IS 'duckmetrics
title: Share of the predicted positives that are positive
call: FROM precision_score(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [0, 1], higher is better
formula: TP / (TP + FP)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO TABLE temp.ppv IS 'duckmetrics
title: Share of the predicted positives that are positive
call: FROM ppv(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [0, 1], higher is better
formula: TP / (TP + FP)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO TABLE temp.precision_at_recall IS 'duckmetrics
title: Largest precision at a recall or better
call: FROM precision_at_recall(data, label, score, recall)
per: default NULL
weight: default NULL
range: [0, 1], higher is better
formula: max over thresholds with R >= recall of P
source: Davis and Goadrich, ICML 2006, doi:10.1145/1143844.1143874';
COMMENT ON MACRO TABLE temp.r2 IS 'duckmetrics
title: Coefficient of determination
call: FROM r2(data, label, score)
per: default NULL
weight: default NULL
range: (-inf, 1], higher is better
formula: 1 - sum (y - s)^2 / sum (y - mean y)^2
source: Wright, Journal of Agricultural Research 1921';
COMMENT ON MACRO TABLE temp.recall_score IS 'duckmetrics
title: Share of the positives that are predicted positive
call: FROM recall_score(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [0, 1], higher is better
formula: TP / (TP + FN)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO TABLE temp.tpr IS 'duckmetrics
title: Share of the positives that are predicted positive
call: FROM tpr(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [0, 1], higher is better
formula: TP / (TP + FN)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO TABLE temp.sensitivity IS 'duckmetrics
title: Share of the positives that are predicted positive
call: FROM sensitivity(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [0, 1], higher is better
formula: TP / (TP + FN)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO TABLE temp.recall_at_precision IS 'duckmetrics
title: Largest recall at a precision or better
call: FROM recall_at_precision(data, label, score, precision)
per: default NULL
weight: default NULL
range: [0, 1], higher is better
formula: max over thresholds with P >= precision of R
source: Davis and Goadrich, ICML 2006, doi:10.1145/1143844.1143874';
COMMENT ON MACRO TABLE temp.rig IS 'duckmetrics
title: Relative information gain
call: FROM rig(data, label, score)
per: default NULL
eps: default 1e-15
base_rate: default NULL
weight: default NULL
range: (-inf, 1], higher is better
formula: 1 - normalized entropy
source: Graepel et al., ICML 2010';
COMMENT ON MACRO TABLE temp.rmse IS 'duckmetrics
title: Root mean squared error of predicted numbers
call: FROM rmse(data, label, score)
per: default NULL
weight: default NULL
range: [0, inf), lower is better
formula: sqrt(mean (s - y)^2)
source: Willmott and Matsuura, Climate Research 2005, doi:10.3354/cr030079';
COMMENT ON MACRO TABLE temp.specificity IS 'duckmetrics
title: Share of the negatives that are predicted negative
call: FROM specificity(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [0, 1], higher is better
formula: TN / (TN + FP)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO TABLE temp.tnr IS 'duckmetrics
title: Share of the negatives that are predicted negative
call: FROM tnr(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [0, 1], higher is better
formula: TN / (TN + FP)
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO TABLE temp.spiegelhalter_p IS 'duckmetrics
title: p-value of Spiegelhalter''s test of calibration, two-sided
call: FROM spiegelhalter_p(data, label, score)
per: default NULL
range: [0, 1], neither is better
formula: 2 (1 - Phi(|z|))
source: Spiegelhalter, Statistics in Medicine 1986, doi:10.1002/sim.4780050506';
COMMENT ON MACRO TABLE temp.spiegelhalter_z IS 'duckmetrics
title: Spiegelhalter''s z of calibration
call: FROM spiegelhalter_z(data, label, score)
per: default NULL
range: (-inf, inf), closest to 0 is better
formula: sum (y - p)(1 - 2p) / sqrt(sum (1 - 2p)^2 p (1 - p)), standard normal if calibrated
source: Spiegelhalter, Statistics in Medicine 1986, doi:10.1002/sim.4780050506';
COMMENT ON MACRO TABLE temp.tpr_at_fpr IS 'duckmetrics
title: Largest true positive rate at a false positive rate or better
call: FROM tpr_at_fpr(data, label, score, fpr)
per: default NULL
weight: default NULL
range: [0, 1], higher is better
formula: max over thresholds with FPR <= fpr of TPR, at least 0
source: Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010';
COMMENT ON MACRO TABLE temp.f1_score IS 'duckmetrics
title: Weighted harmonic mean of precision and recall
call: FROM f1_score(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
range: [0, 1], higher is better
formula: (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP)
source: van Rijsbergen, Information Retrieval, 1979';
COMMENT ON MACRO TABLE temp.brier_decomposition IS 'duckmetrics
title: Brier score taken apart
call: FROM brier_decomposition(data, label, score)
per: default NULL
bins: default 10
binning: default ''width''; or ''mass''
weight: default NULL
formula: Brier = reliability - resolution + uncertainty + variance within bins - covariance within bins (doubled)
source: Stephenson, Coelho and Jolliffe, Weather and Forecasting 2008, doi:10.1175/2007WAF2006116.1';
COMMENT ON MACRO TABLE temp.calibration_curve IS 'duckmetrics
title: Calibration curve: predicted and observed share of positives, bin by bin
call: FROM calibration_curve(data, label, score)
per: default NULL
bins: default 10
binning: default ''width''; or ''mass''
weight: default NULL
formula: per bin: mean p, mean y with its 95 % Wilson interval, and the gap between the two
source: Wilson, JASA 1927, doi:10.1080/01621459.1927.10502953
note: bins without a row are there, with n = 0; with weights, a weight counts as so many rows';
COMMENT ON MACRO TABLE temp.confusion IS 'duckmetrics
title: Confusion matrix at a threshold
call: FROM confusion(data, label, score)
per: default NULL
threshold: default 0.5e0
weight: default NULL
formula: a row is predicted positive if score >= threshold
source: Kohavi and Provost, Machine Learning 1998, doi:10.1023/A:1017181826899';
COMMENT ON MACRO TABLE temp.gains_curve IS 'duckmetrics
title: Cumulative gains: share of the positives among the top rows
call: FROM gains_curve(data, label, score)
per: default NULL
bins: default 10
weight: default NULL
formula: gain = positives in the top share / P, lift = gain / share; rows at a cut count in proportion
source: Berry and Linoff, Data Mining Techniques, 2004
note: threshold is the score at the cut';
COMMENT ON MACRO TABLE temp.group_auc IS 'duckmetrics
title: AUC of every group
call: FROM group_auc(data, label, score, group_id)
call: FROM group_auc(data, label, score, group_id, weight)
per: default NULL
formula: share of the pairs within the group in which the positive has the higher score, ties 1/2
source: Zhou et al., KDD 2018, doi:10.1145/3219819.3219823
note: auc is NULL for groups of one class';
COMMENT ON MACRO TABLE temp.pr_curve IS 'duckmetrics
title: Precision-recall curve: one point for every distinct score
call: FROM pr_curve(data, label, score)
per: default NULL
points: default NULL
weight: default NULL
formula: precision = TP / (TP + FP) against recall = TP / P, with score >= threshold
source: Davis and Goadrich, ICML 2006, doi:10.1145/1143844.1143874
note: area is the exact area in step form up to the point, so thinning to so many points leaves it as it is; in the last row it is the average precision';
COMMENT ON MACRO TABLE temp.roc_curve IS 'duckmetrics
title: ROC curve: true and false positive rate at every distinct score
call: FROM roc_curve(data, label, score)
per: default NULL
points: default NULL
weight: default NULL
formula: TPR = TP / P against FPR = FP / N, with score >= threshold; the first point is (0, 0)
source: Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010
note: area is the exact area under the curve up to the point, so thinning to so many points leaves it as it is; in the last row it is the AUC';
COMMENT ON MACRO TABLE temp.threshold_table IS 'duckmetrics
title: Confusion matrix and what follows from it at evenly spaced thresholds
call: FROM threshold_table(data, label, score)
per: default NULL
points: default 11
weight: default NULL
formula: thresholds 0, 1 / (points - 1), ..., 1; a row is predicted positive if p >= threshold
source: Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002';
COMMENT ON MACRO TABLE temp.duckmetrics_help IS 'duckmetrics
title: What macros there are; of those that are called so, how they are called and what they mean
call: FROM duckmetrics_help()
pattern: default ''''
note: a pattern is a name, part of one, or a word of a title; the comments of the macros tell the rest';
