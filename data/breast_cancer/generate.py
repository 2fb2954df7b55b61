"""Write predictions.parquet: what a cross-validated logistic regression says of 569 breast masses.

Run it from anywhere: ``python data/breast_cancer/generate.py`` (needs scikit-learn and pyarrow, no network).
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

FOLDER = Path(__file__).parent
MALIGNANT = 0  # scikit-learn counts benign as 1; here the positive class is the disease

cancer = load_breast_cancer()
label = (cancer.target == MALIGNANT).astype(np.int32)

# Newton's method to a tight tolerance: the optimum itself, not where a solver happened to stop.
model = make_pipeline(StandardScaler(), LogisticRegression(solver="newton-cholesky", tol=1e-10, max_iter=100))
folds = StratifiedKFold(n_splits=10, shuffle=True, random_state=0)
score = cross_val_predict(model, cancer.data, label, cv=folds, method="predict_proba")[:, 1]

radius = cancer.data[:, list(cancer.feature_names).index("mean radius")]
tercile = np.searchsorted(np.quantile(radius, [1 / 3, 2 / 3]), radius)

table = pa.table(
    {
        "row_id": np.arange(len(label), dtype=np.int64),
        "label": label,
        "score": score.round(6),  # what is stable across machines; some rows tie, some are exactly 0 or 1
        "radius": np.array(["small", "medium", "large"])[tercile],
    }
)
pq.write_table(table, FOLDER / "predictions.parquet", compression="zstd", compression_level=19)
