import torch as th
from torch import masked_select as select
